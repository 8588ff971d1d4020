import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

const indexes = `
create index removals_running on removals (kind, id) where state = 'running';
create index queries_open on queries (job_id) where state in ('queued', 'running');
create index trino_statements_open on trino_statements (job_id) where state in ('queued', 'running');
create index ehr_syncs_open on ehr_syncs (job_id) where state in ('queued', 'running');
create index variant_indexes_open on variant_indexes (job_id) where status = 'INDEXING';
create index lakes_compacting on lakes (compaction_job_id) where compaction_job_id is not null;
drop index blob_intents_expiry;
create index blob_intents_expiry on blob_intents (kind, expires_at, key);
`;

/** Indexes of work that is not over, and of blobs in the order in which they are removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statementsOf(db, indexes)) await sql.raw(statement).execute(db);
}
