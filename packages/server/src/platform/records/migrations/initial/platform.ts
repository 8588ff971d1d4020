/** Jobs, announcements, blob intents and idempotency keys. */
export const platformTables = `
create table jobs (
  seq integer primary key autoincrement,
  id text not null unique,
  kind text not null,
  state text not null,
  payload text not null,
  attempts integer not null,
  attempts_max integer not null,
  queue_key text not null,
  queue_max integer,
  not_before bigint not null,
  created_at bigint not null,
  owner text,
  lease text,
  lease_until bigint,
  ended_at bigint,
  failure text,
  share_key text not null default '',
  share_max integer,
  turn bigint not null default 0
);
create index jobs_ended on jobs (ended_at) where ended_at is not null;
create unique index jobs_lease on jobs (lease) where lease is not null;
create index jobs_queued on jobs (kind, queue_key, share_key, seq) where state = 'queued';
create index jobs_running on jobs (queue_key) where state = 'running';
create index jobs_running_share on jobs (share_key) where state = 'running';
create index jobs_turn on jobs (kind, turn) where attempts > 0;
create index jobs_turn_queue on jobs (queue_key, turn) where attempts > 0;
create index jobs_turn_share on jobs (share_key, turn) where attempts > 0;

create table changes (
  seq integer primary key autoincrement,
  topic text not null,
  at bigint not null
);
create index changes_at on changes (at);

create table identity (
  "only" integer not null primary key,
  id text not null
);

create table blob_intents (
  key text not null primary key,
  kind text not null,
  expires_at bigint not null,
  upload_id text
);
create index blob_intents_expiry on blob_intents (kind, expires_at);

create table idempotency_keys (
  id text not null primary key,
  body_hash text not null,
  state text not null,
  status bigint,
  body text,
  created_at bigint not null,
  headers text
);
create index idempotency_keys_age on idempotency_keys (created_at);
`;
