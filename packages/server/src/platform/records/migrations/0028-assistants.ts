import { type Kysely, sql } from 'kysely';

/**
 * Permission of assistants in an account, and the resource that a grant was asked for. Clients that programs registered by
 * themselves wait for the consent of a user.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column assistants text not null default 'off'`.execute(db);
  await sql`alter table grants add column resource text`.execute(db);
  await sql`alter table clients add column registered bigint not null default 0`.execute(db);
  await sql`create index clients_registered on clients (created_at) where registered = 1`.execute(db);
  await sql`
    create table client_registrations (
      id text not null primary key,
      name text not null,
      callback_urls text not null,
      network text not null,
      created_at bigint not null
    )`.execute(db);
  await sql`create index client_registrations_network on client_registrations (network)`.execute(db);
  await sql`create index client_registrations_created on client_registrations (created_at)`.execute(db);
}
