import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tablesAfter } from '../../platform/records/index.ts';
import { migrations } from '../../platform/records/migrations/index.ts';
import { workOfJobs } from './lost-work.ts';

test('every table whose rows name a job has an end for those whose job is over', async () => {
  const naming = (await tablesAfter(migrations)).filter(({ columns }) =>
    columns.some((name) => /job_id$/.test(name)),
  );
  // The rows of this table are not kept in backups, so they have no shape.
  const tables = [...naming.map(({ name }) => name), 'trino_statements'];
  assert.deepEqual(tables.toSorted(), Object.keys(workOfJobs).toSorted());
});
