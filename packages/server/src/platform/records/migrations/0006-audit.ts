import type { Kysely } from 'kysely';
import { orderedText } from '../columns.ts';

/** Ways into the audit log, one for each filter, all of them in the order of its list; policies by name without regard to case. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await auditIndexes(db);
  await policyNames(db);
}

async function auditIndexes(db: Kysely<unknown>): Promise<void> {
  const indexes: Record<string, string[]> = {
    audit_events_time: ['account_id', 'at', 'sequence'],
    audit_events_user: ['account_id', 'user_id', 'at', 'sequence'],
    audit_events_action: ['account_id', 'action', 'outcome', 'at', 'sequence'],
    audit_events_resource: ['account_id', 'resource_id', 'at', 'sequence'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('audit_events').columns(columns).execute();
  }
}

/** As names.ts folds names, written out: this step must do the same for ever. */
async function policyNames(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('policies')
    .addColumn('name_key', orderedText(db), (c) => c.notNull().defaultTo(''))
    .execute();
  const rows = db.withTables<{ policies: { id: string; name: string; name_key: string } }>();
  for (const { id, name } of await rows.selectFrom('policies').select(['id', 'name']).execute()) {
    const name_key = name.normalize('NFC').toLowerCase();
    await rows.updateTable('policies').set({ name_key }).where('id', '=', id).execute();
  }
  await db.schema.dropIndex('policies_name').execute();
  await db.schema
    .createIndex('policies_name')
    .on('policies')
    .columns(['account_id', 'name_key'])
    .unique()
    .execute();
}
