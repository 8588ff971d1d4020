import assert from 'node:assert/strict';
import { silent, testOnRecords } from '../../../../../test/support/records.ts';
import { EngineError } from '../../../../engine/src/engine.ts';
import { callerWith } from '../../access/caller.fixture.ts';
import { overloaded, Problem, storageFull } from '../../base/problem.ts';
import type { Job, JobRun } from '../../platform/jobs/jobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { RowRights } from '../lake/views/made-with.ts';
import type { RunDeps } from './accepted-query.ts';
import { runQueries } from './query-job.ts';

const row: QueriesTable = {
  id: 'query',
  account_id: 'main',
  project_id: 'project',
  user_id: 'me',
  query_text: 'SELECT * FROM cohort',
  statement: 'SELECT * FROM cohort',
  tables: '["cohort"]',
  conditions: null,
  state: 'running',
  requested_name: 'r.csv',
  output_file_name: 'r.csv',
  masked: 0,
  made_with: null,
  lake_version: 1,
  progress: 0,
  row_count: null,
  result_file_id: null,
  error: null,
  job_id: 'job',
  started_at: 0,
  ended_at: null,
};

/** Runs the query while its cohorts cannot be counted; returns whether it would be retried. */
async function ranAgain(
  records: Records,
  error: Error,
  attempts: number,
  holdsLease = true,
): Promise<boolean> {
  const deps = {
    ...{
      records,
      log: silent,
      countsMin: 0,
      rights: new RowRights(Buffer.from('key'), 0, async () => new Map()),
    },
    audit: { append: async () => undefined },
    blobs: { scratchPath: async () => '' },
    callers: { resolve: async () => callerWith('main', { rules: { readData: true } }) },
    recountCohorts: () => Promise.reject(error),
    earlyRuns: { drop: () => undefined },
  };
  const job = { id: 'job', payload: { queryId: row.id }, attempts, attemptsMax: 2 } as unknown as Job;
  const run = {
    job,
    signal: new AbortController().signal,
    holdsLease: async () => holdsLease,
    report: () => undefined,
  };
  return runQueries(deps as unknown as RunDeps)
    .run(run as unknown as JobRun)
    .then(
      () => false,
      (thrown: unknown) => {
        assert.equal(thrown, error);
        return true;
      },
    );
}

testOnRecords(
  'a query that exceeds a limit, or whose cohort cannot be counted, fails with the reason once it is permanent',
  async ({ open }) => {
    const records = await open();
    const now = async (): Promise<unknown[]> => {
      const { state, error } = await records.read.selectFrom('queries').selectAll().executeTakeFirstOrThrow();
      return [state, error && JSON.parse(error)];
    };
    const of = ({ status, code, message }: Problem) => new Problem(status, code, `The cohort c: ${message}`);
    const [busy, full] = [of(overloaded()), of(storageFull(undefined))];
    const disk = of(new Problem(422, 'COHORT_DISK', 'It needs more space. Ask for less.'));
    for (const { error, passes, code } of [
      { error: busy, passes: true, code: 'OVERLOADED' },
      { error: full, passes: false, code: 'QUERY_DISK' },
      { error: disk, passes: false, code: 'COHORT_DISK' },
      { error: new EngineError('TIME', 'It ran too long.'), passes: false, code: 'QUERY_TIME' },
      { error: new EngineError('MEMORY', 'It needs more memory.'), passes: false, code: 'QUERY_MEMORY' },
    ]) {
      await records.transact(async (tx) => {
        await tx.deleteFrom('queries').execute();
        await tx.insertInto('queries').values(row).execute();
      });
      if (passes) {
        assert.equal(await ranAgain(records, error, 1), true);
        assert.deepEqual(await now(), ['running', null]);
      }
      assert.equal(await ranAgain(records, error, 2, false), false);
      assert.deepEqual(await now(), ['running', null], 'a process that lost the lease reports nothing');
      assert.equal(await ranAgain(records, error, passes ? 2 : 1), false);
      assert.deepEqual(await now(), ['failed', { code, message: error.message }]);
    }
  },
);
