import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Uploads that clients put into the store itself: which bytes of theirs the service has looked at. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('uploads').addColumn('arrived_tag', orderedText(db)).execute();
  await db.schema
    .createIndex('uploads_account')
    .on('uploads')
    .columns(['account_id', 'project_id', 'expires_at'])
    .execute();
}
