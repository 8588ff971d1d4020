import { type Kysely, sql } from 'kysely';

/** Users who made the OAuth clients, as the audit log names them: work of a client counts for its maker. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table clients add column made_by text`.execute(db);
  await sql`
    update clients set made_by = (
      select user_id from audit_events
      where audit_events.account_id = clients.account_id and resource_id = clients.id
        and action = 'clients.create' and outcome = 'done'
      order by sequence limit 1
    )
  `.execute(db);
}
