export { CredentialHolders, type CredentialKind } from './credential-holders.ts';
export { requireValidCredential } from './valid-credential.ts';
