import { sql } from 'kysely';
import { doAll } from '../../platform/concurrency/do-all.ts';
import type { Database, Records } from '../../platform/records/index.ts';

/** Work whose row names the job that does it. */
interface Work {
  column: string;
  /** Condition of a row whose job should wait or run. */
  isOpen: string;
  /** Changes of a row whose job is over. */
  end: Record<string, string | number | null>;
}

const message = 'The work ended for a reason on our side. Start it again.';
const failed = (
  error: object,
): Pick<Work, 'column' | 'isOpen'> & { end: { state: string; error: string } } => ({
  column: 'job_id',
  isOpen: "state in ('queued', 'running')",
  end: { state: 'failed', error: JSON.stringify({ ...error, message }) },
});

/** Every table whose rows name their job. One that is missing here fails lost-work.test.ts. */
export const workOfJobs: Partial<Record<keyof Database, Work>> = {
  queries: failed({ code: 'INTERNAL' }),
  ingestions: failed({ code: 'INTERNAL' }),
  ehr_syncs: failed({ code: 'INTERNAL' }),
  trino_statements: failed({ name: 'GENERIC_INTERNAL_ERROR' }),
  lake_copies: failed({ status: 503, code: 'ENGINE_UNAVAILABLE' }),
  variant_indexes: { column: 'job_id', isOpen: "status = 'INDEXING'", end: { status: 'FAILED', message } },
  // Queued again when the next look finds files to merge.
  lake_merges: { column: 'job_id', isOpen: 'job_id is not null', end: { job_id: null } },
};

/**
 * Ends work whose job is over without a report: its row could not be read, or its handler threw at the end. Its user would wait
 * for ever. Work and job end in one transaction otherwise, so no other case is met.
 */
export async function endLostWork(records: Records): Promise<void> {
  const steps = Object.entries(workOfJobs).map(([table, { column, isOpen, end }]) => async () => {
    const endedAt = 'state' in end ? { ended_at: Date.now() } : {};
    const changes = Object.entries({ ...end, ...endedAt }).map(
      ([name, value]) => sql`${sql.ref(name)} = ${value}`,
    );
    await records.transact((tx) =>
      sql`
        update ${sql.table(table)} set ${sql.join(changes)}
        where ${sql.raw(isOpen)} and not exists (
          select 1 from jobs where jobs.id = ${sql.ref(`${table}.${column}`)} and jobs.state in ('queued', 'running')
        )
      `.execute(tx),
    );
  });
  await doAll(steps);
}
