/** Epoch milliseconds. */
type Time = number;

/** An OAuth client of an account (docs/api/sign-in.md). */
export interface ClientsTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the secret, hex; null for a client that keeps none. The secret is 256 random bits, so no slow hash is needed. */
  secret_hash: string | null;
  /** User who made it, for whom its work counts; null if that is not known. */
  made_by: string | null;
  /** JSON: callback and logout URLs, identity providers, flows, scopes. */
  settings: string;
  /** Set if a program registered it by itself. */
  registered: number;
  created_at: Time;
  updated_at: Time;
}

/** A client that a program registered by itself, until a user consents: then it is one of the account (docs/api/sign-in.md). */
interface ClientRegistrationsTable {
  id: string;
  /** Name that the program gave itself. */
  name: string;
  /** JSON: addresses. */
  callback_urls: string;
  /** Network that it was sent from: bounds the registrations of one. */
  network: string;
  created_at: Time;
}

/** A browser with a signed-in user. Its cookie is stored only as a hash. */
export interface SessionsTable {
  id: string;
  /** SHA-256 of the cookie's value, hex. */
  token_hash: string;
  user_id: string;
  /** Signed in through an identity provider of this account, and good for this account only. */
  only_account: string | null;
  /** Client through whose identity provider the user signed in. */
  provided_by: string | null;
  /** JSON array of authentication methods (RFC 8176): `pwd`, `otp`, `saml`. */
  methods: string;
  user_agent: string;
  address: string;
  created_at: Time;
  authenticated_at: Time;
  seen_at: Time;
  expires_at: Time;
  ended_at: Time | null;
}

/** Grant of one sign-in to a client: its code, its refresh tokens and its access tokens. Revoking it revokes all of them. */
export interface GrantsTable {
  id: string;
  client_id: string;
  user_id: string;
  session_id: string | null;
  only_account: string | null;
  /** Protected resource that its access tokens are for (RFC 8707); null: this API. */
  resource: string | null;
  /** Value of the session. */
  provided_by: string | null;
  flow: 'code' | 'implicit' | 'client_credentials';
  /** Separated by blanks. */
  scope: string;
  /** Patient of the scopes `patient/`, by the id that the FHIR interface shows the user; null without such a scope. */
  patient: string | null;
  nonce: string | null;
  /** JSON array, as of the session. */
  methods: string;
  authenticated_at: Time;
  /** SHA-256 of the code, hex. */
  code_hash: string | null;
  code_redirect_uri: string | null;
  code_challenge: string | null;
  code_expires_at: Time | null;
  code_used_at: Time | null;
  /** Number of the refresh token that is valid; 0 = none was given. */
  refresh_number: number;
  refreshed_at: Time | null;
  created_at: Time;
  expires_at: Time;
  /** No refresh goes beyond it; null: each refresh begins its life anew. */
  ends_at: Time | null;
  revoked_at: Time | null;
}

/** Key pairs that sign tokens; the private half only sealed. */
export interface TokenKeysTable {
  /** The `kid`. */
  id: string;
  algorithm: 'ES256' | 'RS256';
  /** JWK. */
  public_key: string;
  private_key_sealed: string;
  created_at: Time;
  /** Begin of its time as the signing key. It is published from its creation on. */
  used_from: Time;
}

/** Wrong attempts to sign in, counted for one person or one address. */
export interface SignInDelaysTable {
  /** HMAC of the subject: e-mail addresses of failed attempts are not kept. */
  id: string;
  failures: number;
  failed_at: Time;
  /** Time until which every further attempt is refused. */
  open_at: Time;
}

/** The second factor of a user: time-based codes (RFC 6238). No row: the user has none. */
interface SecondFactorsTable {
  user_id: string;
  secret_sealed: string;
  /** Last time step whose code was used; each is used once. */
  used_step: number;
  created_at: Time;
}

/** Codes for when the device that makes the others is lost. Each works once. */
interface RecoveryCodesTable {
  /** HMAC-SHA256 of user and code, hex. */
  id: string;
  user_id: string;
  used_at: Time | null;
}

/** Request of a device without a browser (RFC 8628). Its codes are stored only as hashes. */
export interface DeviceRequestsTable {
  /** SHA-256 of the code that the device exchanges, hex. */
  device_hash: string;
  /** SHA-256 of the code that the user types, hex. */
  user_hash: string;
  /** Network that it was made from. */
  asked_from: string;
  created_at: Time;
  expires_at: Time;
  /** Last time that the device asked for its tokens; 0 before. */
  polled_at: Time;
  denied_at: Time | null;
  /** Grant that the approval made. */
  grant_id: string | null;
}

/** Assertion that a client has used: each counts once. */
interface ClientAssertionsTable {
  client_id: string;
  /** SHA-256 of its `jti`, hex. */
  jti_hash: string;
  expires_at: Time;
}

/** The tables of signing in; the `Database` of the domains extends it. */
export interface SignInTables {
  clients: ClientsTable;
  client_registrations: ClientRegistrationsTable;
  client_assertions: ClientAssertionsTable;
  sessions: SessionsTable;
  grants: GrantsTable;
  device_requests: DeviceRequestsTable;
  token_keys: TokenKeysTable;
  sign_in_delays: SignInDelaysTable;
  second_factors: SecondFactorsTable;
  recovery_codes: RecoveryCodesTable;
}
