export { CredentialHolders } from './credential-holders.ts';
export { requireValidCredential } from './valid-credential.ts';
