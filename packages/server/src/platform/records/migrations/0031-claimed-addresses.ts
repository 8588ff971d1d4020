import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { onPostgres } from '../columns.ts';

/**
 * An address that only the identity provider of an account vouches for (`email_claimed_by`) belongs to nobody in the service: each
 * account may claim it for a user of its own, beside the one user whose address it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Who has followed a link in a mail, or has a password that a link gave him, is whose address it is.
  await sql`update users set email_claimed_by = null where email_verified_at is not null or password_hash is not null`.execute(
    db,
  );
  await (onPostgres(db) ? sql`alter table users drop constraint users_email_key`.execute(db) : rebuild(db));
  await sql`create unique index users_email on users (email) where email_claimed_by is null`.execute(db);
  await db.schema
    .createIndex('users_claimed_email')
    .on('users')
    .columns(['email', 'email_claimed_by'])
    .unique()
    .execute();
}

/** SQLite takes a constraint from a table by making the table anew (https://www.sqlite.org/lang_altertable.html §7). */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  const columns = sql.raw(
    'id, email, type, profile, password_hash, created_at, name_keys, email_verified_at, email_claimed_by',
  );
  await sql`create table users_anew (
    id text primary key,
    email text not null,
    type text not null,
    profile text not null,
    password_hash text,
    created_at bigint not null,
    name_keys text not null default '',
    email_verified_at bigint,
    email_claimed_by text
  )`.execute(db);
  await sql`insert into users_anew (${columns}) select ${columns} from users`.execute(db);
  await sql`drop table users`.execute(db);
  await sql`alter table users_anew rename to users`.execute(db);
}
