export { CredentialHolders, type CredentialKind } from './credential-holders.ts';
export { requireLiveCredential, requireValidCredential } from './valid-credential.ts';
