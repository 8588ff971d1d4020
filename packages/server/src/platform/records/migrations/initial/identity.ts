/** Users, accounts, groups, policies, invitations, keys, audit log and removals. */
export const identityTables = `
create table users (
  id text not null primary key,
  email text not null,
  type text not null,
  profile text not null,
  password_hash text,
  created_at bigint not null,
  name_keys text not null default '',
  email_verified_at bigint,
  email_claimed_by text
);
create unique index users_claimed_email on users (email, email_claimed_by);
create unique index users_email on users (email) where email_claimed_by is null;

create table pictures (
  user_id text not null primary key,
  id text not null unique,
  blob_key text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  created_at bigint not null
);
create index pictures_blob on pictures (blob_key);

create table user_attributes (
  user_id text not null,
  account_id text not null,
  document text not null,
  updated_at bigint not null,
  constraint user_attributes_key primary key (user_id, account_id)
);
create index user_attributes_account on user_attributes (account_id);

create table accounts (
  id text not null primary key,
  name text not null,
  type text not null,
  owner_id text not null,
  deletion_at bigint,
  created_at bigint not null
);
create index accounts_deletion on accounts (deletion_at) where deletion_at is not null;
create index accounts_owner on accounts (owner_id);

create table groups (
  id text not null primary key,
  account_id text not null,
  name text not null,
  name_key text not null,
  description text not null,
  type text not null,
  created_at bigint not null
);
create unique index groups_name on groups (account_id, name_key);

create table group_members (
  group_id text not null,
  user_id text not null,
  account_id text not null,
  added_at bigint not null,
  constraint group_members_key primary key (group_id, user_id)
);
create index group_members_account on group_members (account_id, user_id, group_id);
create index group_members_user on group_members (user_id, account_id);

create table policies (
  id text not null primary key,
  account_id text not null,
  name text not null,
  document text not null,
  created_at bigint not null,
  updated_at bigint not null,
  name_key text not null default ''
);
create unique index policies_name on policies (account_id, name_key);

create table invitations (
  id text not null primary key,
  account_id text not null,
  group_id text not null,
  email text not null,
  inviter_id text not null,
  status text not null,
  mail_number bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index invitations_account on invitations (account_id, id);
create unique index invitations_awaiting on invitations (group_id, email) where status = 'AWAITING';
create index invitations_email on invitations (email, id);
create index invitations_group on invitations (group_id);
create index invitations_inviter on invitations (inviter_id, id);

create table invitation_mails (
  invitation_id text not null,
  number bigint not null,
  account_id text not null,
  sender_id text not null,
  state text not null,
  attempts bigint not null,
  error text,
  created_at bigint not null,
  constraint invitation_mails_key primary key (invitation_id, number)
);
create index invitation_mails_account_id on invitation_mails (account_id, created_at);
create index invitation_mails_sender_id on invitation_mails (sender_id, created_at);

create table api_keys (
  id text not null primary key,
  account_id text not null,
  user_id text not null,
  name text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  only_account text,
  parent_id text
);
create index api_keys_parent on api_keys (parent_id);
create index api_keys_user on api_keys (account_id, user_id, id);

create table signing_keys (
  id text not null primary key,
  purpose text not null unique,
  algorithm text not null,
  public_key text not null,
  private_key_sealed text not null,
  created_at bigint not null
);

create table one_time_tokens (
  id text not null primary key,
  purpose text not null,
  subject_id text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);
create index one_time_tokens_expiry on one_time_tokens (expires_at);
create index one_time_tokens_subject on one_time_tokens (subject_id);

create table audit_events (
  account_id text not null,
  sequence bigint not null,
  at bigint not null,
  user_id text,
  via text not null,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  project_id text,
  outcome text not null,
  details text not null,
  request_id text,
  previous_hash text not null,
  hash text not null,
  constraint audit_events_key primary key (account_id, sequence)
);
create index audit_events_action on audit_events (account_id, action, outcome, at, sequence);
create index audit_events_resource on audit_events (account_id, resource_id, at, sequence);
create index audit_events_time on audit_events (account_id, at, sequence);
create index audit_events_user on audit_events (account_id, user_id, at, sequence);

create table audit_heads (
  account_id text not null primary key,
  sequence bigint not null,
  hash text not null,
  closed_at bigint
);

create table removals (
  kind text not null,
  id text not null,
  account_id text not null,
  state text not null,
  counts text not null,
  begun_at bigint not null,
  ended_at bigint,
  constraint removals_key primary key (kind, id)
);
create index removals_account on removals (account_id, state);
`;
