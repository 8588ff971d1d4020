import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { orderedText } from '../columns.ts';

/** By whose identity provider somebody came in, and when all that he was given then is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sessions', 'grants'])
    await db.schema.alterTable(table).addColumn('provided_by', orderedText(db)).execute();
  await db.schema.alterTable('grants').addColumn('ends_at', 'bigint').execute();
  // What such sign-ins gave until now ends when its last refresh token does.
  await sql`update grants set provided_by = client_id, ends_at = expires_at where methods like '%"saml"%'`.execute(
    db,
  );
  // Of a session it is not known by whose provider it came, so no change of the provider would end it: it ends now, who comes again is let in.
  await sql`update sessions set ended_at = ${Date.now()} where methods like '%"saml"%' and ended_at is null`.execute(
    db,
  );
  for (const table of ['sessions', 'grants'])
    await sql`create index ${sql.raw(`${table}_provided`)} on ${sql.table(table)} (provided_by) where provided_by is not null`.execute(
      db,
    );
}
