import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table webhooks (
  id text not null primary key,
  account_id text not null,
  creator_id text not null,
  name text not null,
  url text not null,
  filter text not null,
  state text not null,
  disabled_why text,
  secret_sealed text not null,
  former_secret_sealed text,
  former_until bigint,
  position bigint not null,
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index webhooks_account on webhooks (account_id, id);

create table webhook_deliveries (
  id text not null primary key,
  webhook_id text not null,
  account_id text not null,
  action text not null,
  kind text not null,
  body text not null,
  state text not null,
  attempts integer not null,
  status integer,
  failure text,
  took_ms integer,
  created_at bigint not null,
  sent_at bigint,
  next_at bigint
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id) where state = 'waiting';
create index webhook_deliveries_age on webhook_deliveries (created_at);
create index webhook_deliveries_account on webhook_deliveries (account_id);
`;

/** Creates the webhooks of accounts, and what was or is to be sent to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
