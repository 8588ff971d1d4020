import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is about SAML: who its providers know, their metadata, and what is on its way. The users stay. */
export const samlRemovers: readonly Remover[] = [
  rowsOf('account', 'saml_requests'),
  rowsOf('account', 'saml_assertions'),
  rowsOf('account', 'saml_identities'),
  rowsOf('account', 'saml_providers', { key: 'client_id' }),
];
