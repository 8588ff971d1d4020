/** OAuth clients, sessions, grants, second factors and SAML. */
export const signInTables = `
create table clients (
  id text not null primary key,
  account_id text not null,
  name text not null,
  secret_hash text,
  settings text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index clients_account on clients (account_id, id);

create table sessions (
  id text not null primary key,
  token_hash text not null unique,
  user_id text not null,
  only_account text,
  methods text not null,
  user_agent text not null,
  address text not null,
  created_at bigint not null,
  authenticated_at bigint not null,
  seen_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  provided_by text
);
create index sessions_expiry on sessions (expires_at);
create index sessions_few_ended_at on sessions (ended_at) where ended_at is not null;
create index sessions_few_only_account on sessions (only_account) where only_account is not null;
create index sessions_provided on sessions (provided_by) where provided_by is not null;
create index sessions_user on sessions (user_id, id);

create table grants (
  id text not null primary key,
  client_id text not null,
  user_id text not null,
  session_id text,
  only_account text,
  flow text not null,
  scope text not null,
  nonce text,
  methods text not null,
  authenticated_at bigint not null,
  code_hash text unique,
  code_redirect_uri text,
  code_challenge text,
  code_expires_at bigint,
  code_used_at bigint,
  refresh_number bigint not null,
  refreshed_at bigint,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  provided_by text,
  ends_at bigint
);
create index grants_client on grants (client_id);
create index grants_expiry on grants (expires_at);
create index grants_few_code_expires_at on grants (code_expires_at) where code_used_at is null;
create index grants_few_only_account on grants (only_account) where only_account is not null;
create index grants_few_revoked_at on grants (revoked_at) where revoked_at is not null;
create index grants_provided on grants (provided_by) where provided_by is not null;
create index grants_session on grants (session_id);
create index grants_user on grants (user_id, id);

create table token_keys (
  id text not null primary key,
  algorithm text not null,
  public_key text not null,
  private_key_sealed text not null,
  created_at bigint not null,
  used_from bigint not null
);
create unique index token_keys_use on token_keys (algorithm, used_from);

create table sign_in_delays (
  id text not null primary key,
  failures bigint not null,
  failed_at bigint not null,
  open_at bigint not null
);
create index sign_in_delays_age on sign_in_delays (failed_at);

create table second_factors (
  user_id text not null primary key,
  secret_sealed text not null,
  used_step bigint not null,
  created_at bigint not null
);

create table recovery_codes (
  id text not null primary key,
  user_id text not null,
  used_at bigint
);
create index recovery_codes_user on recovery_codes (user_id);

create table saml_requests (
  id text not null primary key,
  account_id text not null,
  client_id text not null,
  relay_hash text not null unique,
  browser_hash text not null,
  query text not null,
  address text not null,
  created_at bigint not null,
  expires_at bigint not null,
  answered_at bigint,
  answer_sealed text,
  handle_hash text unique
);
create index saml_requests_account on saml_requests (account_id);
create index saml_requests_address on saml_requests (address, expires_at);
create index saml_requests_client on saml_requests (client_id);
create index saml_requests_expiry on saml_requests (expires_at);

create table saml_assertions (
  id text not null primary key,
  account_id text not null,
  expires_at bigint not null
);
create index saml_assertions_account on saml_assertions (account_id);
create index saml_assertions_expiry on saml_assertions (expires_at);

create table saml_identities (
  id text not null primary key,
  account_id text not null,
  entity_id text not null,
  subject text not null,
  user_id text not null,
  created_at bigint not null,
  seen_at bigint not null
);
create index saml_identities_account_id on saml_identities (account_id);
create index saml_identities_user_id on saml_identities (user_id);

create table saml_providers (
  client_id text not null primary key,
  account_id text not null,
  metadata_url text not null,
  document text,
  fetched_at bigint,
  tried_at bigint not null
);

create table saml_keys (
  id text not null,
  use text not null,
  certificate text not null,
  private_key_sealed text not null,
  created_at bigint not null,
  used_from bigint not null,
  constraint saml_keys_by_id primary key (id),
  constraint saml_keys_by_use unique (use, used_from)
);

create table saml_wrapped_keys (
  id text not null primary key,
  used_at bigint not null
);
`;
