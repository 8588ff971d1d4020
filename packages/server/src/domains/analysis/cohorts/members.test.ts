import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { EngineError } from '../../../../../engine/src/engine.ts';
import type { CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { requireSame } from './change.ts';
import { findMembers, type MemberDeps } from './members.ts';

/** Fakes an engine that runs `query` for each statement. */
function depsWith(query: (signal: AbortSignal) => Promise<never>): MemberDeps {
  const deps = {
    analytics: { pin: async () => ({ version: 1 }) },
    blobs: { scratchPath: async () => '/nowhere', discardScratch: async () => undefined },
    engine: {
      check: async () => ({ sql: 'SELECT 1', tables: [] }),
      query: (_: unknown, signal: AbortSignal) => query(signal),
    },
    lake: {
      snapshot: async () => ({ version: 1, tables: new Map() }),
      withRelations: (_: unknown, __: unknown, work: (tables: never[]) => Promise<never>) => work([]),
    },
  };
  return deps as unknown as MemberDeps;
}

const source = { tests: [], statements: [{ sql: 'SELECT 1', at: 0 }], selects: [] };
const wanted = { cohortId: 'c', project: 'p', source, caller: 'u' };

test('a statement that waits too long in the queue is 503 and can be retried', async () => {
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException('It waited too long.', 'TimeoutError')), 10);
  const found = findMembers(depsWith(waiting), wanted, limit.signal);
  await assert.rejects(found, { name: 'Problem', status: 503, code: 'OVERLOADED' });
});

test('a statement that exceeds the time limit is 422', async () => {
  const slow = async (): Promise<never> => {
    throw new EngineError('TIME', 'It ran longer than 30 seconds, which is the limit. Narrow it down.');
  };
  const found = findMembers(depsWith(slow), wanted, new AbortController().signal);
  await assert.rejects(found, { name: 'Problem', status: 422, code: 'COHORT_TIME' });
});

test('queries that changed while members were searched are 409 COHORT_CHANGED, a new name is no conflict', () => {
  const then = { name: 'a', queries: '[]', subject_ids: '[]' } as CohortsTable;
  requireSame({ ...then, name: 'b' }, then);
  for (const change of [{ queries: '[1]' }, { subject_ids: '["p"]' }])
    assert.throws(() => requireSame({ ...then, ...change }, then), { status: 409, code: 'COHORT_CHANGED' });
});

describeOnSqlite(
  'cohorts that take long to count',
  (app) => {
    test('searches of members hold one share of the query processes: another user is answered meanwhile', async () => {
      const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Shared' } })).body;
      const author = await app.people.member(app.account, ['readData', 'createData']);
      const endless =
        'SELECT count(*) AS patient_id FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1';
      const query = { project: id, queryType: 'sql', query: { sql: endless } };
      const left = new AbortController();
      const counting = ['a', 'b', 'c'].map(async (name) => {
        const sent = fetch(`${app.address}/v1/cohorts`, {
          method: 'POST',
          headers: {
            authorization: author.key,
            'service-account': author.account,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ name, ownerProject: id, queries: [query] }),
          signal: left.signal,
        });
        await assert.rejects(sent, { name: 'AbortError' });
      });
      const body = { datasetId: id, query: 'SELECT 1 AS one' };
      for (let count = 0; count < 3; count += 1) {
        const rows = await app.call('POST', '/v1/analytics/data-lake/rows', { body });
        assert.equal(rows.status, 200, rows.text);
      }
      left.abort();
      await Promise.all(counting);
    });
  },
  { PLOIDY_QUERIES_MAX: '2' },
);
