import { type Kysely, sql } from 'kysely';
import { orderedText } from '../columns.ts';

/**
 * Keys that were made in a sign-in through the identity provider of an account. Of most that there are it is not known; but whose address
 * is only claimed could sign in in no other way.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('only_account', orderedText(db)).execute();
  await sql`
    update api_keys set only_account = account_id
    where user_id in (select id from users where email_claimed_by is not null)
  `.execute(db);
}
