/** Epoch milliseconds. */
type Time = number;

/** A sign-in through an identity provider, from the request to the end. Kept for minutes. */
export interface SamlRequestsTable {
  /** The ID of the AuthnRequest. */
  id: string;
  account_id: string;
  client_id: string;
  /** SHA-256 of the RelayState, hex. */
  relay_hash: string;
  /** SHA-256 of the cookie of the browser that began it, hex. */
  browser_hash: string;
  /** The authorization request that goes on afterwards. */
  query: string;
  address: string;
  created_at: Time;
  expires_at: Time;
  /** When the provider answered, rightly or not: no second answer counts. */
  answered_at: Time | null;
  /** Attributes of the person from the provider, sealed, until the browser fetches them. */
  answer_sealed: string | null;
  /** SHA-256 of what the browser fetches it with, hex. */
  handle_hash: string | null;
}

/** Assertions that were used, until they expire. */
interface SamlAssertionsTable {
  /** SHA-256 of account, entity ID and assertion ID, hex. */
  id: string;
  account_id: string;
  expires_at: Time;
}

/** User behind a name of an identity provider of an account. Valid in this account only. */
interface SamlIdentitiesTable {
  /** SHA-256 of account, entity ID and subject, hex. */
  id: string;
  account_id: string;
  entity_id: string;
  /** `nameId:<NameID>`, or an attribute with its value where the NameID changes each time. */
  subject: string;
  user_id: string;
  created_at: Time;
  seen_at: Time;
}

/** The last good metadata of a client's identity provider. */
export interface SamlProvidersTable {
  client_id: string;
  account_id: string;
  metadata_url: string;
  /** Null until it was had once. */
  document: string | null;
  fetched_at: Time | null;
  tried_at: Time;
}

/** Key pairs that sign our requests, or for which assertions are encrypted, with their certificates; the private half only sealed. */
export interface SamlKeysTable {
  id: string;
  use: 'signing' | 'encryption';
  /** PEM. */
  certificate: string;
  private_key_sealed: string;
  created_at: Time;
  /** Begin of its time as the key that signs or decrypts. It is published from its creation on. */
  used_from: Time;
}

/** Keys of AES-CBC that have come, until no private key is left that opens them. */
interface SamlWrappedKeysTable {
  /** SHA-256 of the received wrapped key; hex. */
  id: string;
  used_at: Time;
}

/** The tables of signing in through SAML; the `Database` of the domains extends it. */
export interface SamlTables {
  saml_requests: SamlRequestsTable;
  saml_assertions: SamlAssertionsTable;
  saml_identities: SamlIdentitiesTable;
  saml_providers: SamlProvidersTable;
  saml_keys: SamlKeysTable;
  saml_wrapped_keys: SamlWrappedKeysTable;
}
