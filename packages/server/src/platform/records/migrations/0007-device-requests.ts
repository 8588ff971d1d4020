import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const tables = `
create table device_requests (
  device_hash text not null primary key,
  user_hash text not null unique,
  asked_from text not null,
  created_at bigint not null,
  expires_at bigint not null,
  polled_at bigint not null,
  denied_at bigint,
  grant_id text
);
create index device_requests_by_expiry on device_requests (expires_at);
create index device_requests_by_origin on device_requests (asked_from);
`;

/** Creates the requests of devices without a browser (RFC 8628). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, tables)) await sql.raw(statement).execute(db);
}
