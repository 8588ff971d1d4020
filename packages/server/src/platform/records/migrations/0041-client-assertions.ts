import { type Kysely, sql } from 'kysely';

/** Assertions of clients that sign with their own keys: each counts once (RFC 7523, §3). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table client_assertions (
      client_id text not null,
      jti_hash text not null,
      expires_at bigint not null,
      primary key (client_id, jti_hash)
    )`.execute(db);
  await sql`create index client_assertions_expired on client_assertions (expires_at)`.execute(db);
}
