import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite, silent } from '../../../../../test/support/records.ts';
import { readConfig } from '../../config/config.ts';
import { type JobKind, openJobs } from '../../platform/jobs/index.ts';
import { jobsOfRoles } from './roles.ts';

const handlerOf = (kind: JobKind) => ({
  kind,
  run: async () => undefined,
  onExhausted: async () => undefined,
});

test('a process runs the jobs of its roles only', async () => {
  await onSqlite(async ({ open }) => {
    const queue = openJobs({ records: await open(), log: silent, places: {}, soleProcess: false });
    const jobs = jobsOfRoles(queue, { roles: new Set(['query', 'maintenance']) });
    for (const kind of [
      'lake.run',
      'lake.statement',
      'ingestions.run',
      'ehrs.runSync',
      'lake.compact',
    ] as const)
      jobs.handle(handlerOf(kind));
    for (const kind of ['lake.run', 'lake.statement', 'lake.compact'] as const)
      assert.throws(() => queue.handle(handlerOf(kind)), /have a handler/, kind);
    for (const kind of ['ingestions.run', 'ehrs.runSync'] as const) queue.handle(handlerOf(kind));
  });
});

test('roles are listed by name, and a process without companions has all of them', () => {
  const shared = { PLOIDY_DATABASE_URL: 'postgres://db.example/ploidy' };
  const { roles } = readConfig({ ...shared, PLOIDY_ROLES: 'ingest, query' });
  assert.deepEqual([...roles], ['ingest', 'query']);
  for (const text of ['ingest,', 'ingest,unknown'])
    assert.throws(() => readConfig({ ...shared, PLOIDY_ROLES: text }), /PLOIDY_ROLES is a list/, text);
  assert.throws(() => readConfig({ PLOIDY_ROLES: 'api' }), /PLOIDY_ROLES needs PLOIDY_DATABASE_URL/);
});
