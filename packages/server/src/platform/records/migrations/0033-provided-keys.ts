import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Keys that were made in a sign-in through the identity provider of an account. Of those that there are it is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('only_account', orderedText(db)).execute();
}
