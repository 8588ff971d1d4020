import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compilePolicy, type Policy } from '@ploidy/policy';
import fc from 'fast-check';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import { rowsOf } from '../../../access/rows.ts';
import { ids, policies, tables } from '../../../access/subject-policies.fixture.ts';
import { subjectCondition } from './subject-sql.ts';

let folder: string;
let sql: DuckdbSql;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'subjects-'));
  sql = await openSql(folder);
  const values = ids.map((id) => `('${id.replaceAll("'", "''")}')`);
  await sql.run(`CREATE TABLE subjects AS SELECT * FROM (VALUES ${values.join(', ')}, (NULL)) AS s(id)`);
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

test('the SQL condition selects the rows whose patients single decisions allow', async () => {
  await fc.assert(
    fc.asyncProperty(policies, async (drawn) => {
      const decides = compilePolicy(drawn);
      const expected = ids.filter((subject) =>
        decides.allows('readData', { resource: { ...tables, subject } }),
      );
      const condition = subjectCondition(rowsOf(drawn, 'readData', tables), 'id');
      const rows = await sql.rows(`SELECT id FROM subjects WHERE id IS NOT NULL AND ${condition}`);
      assert.deepEqual(rows.map((row) => String(row['id'])).sort(), expected.sort(), condition);
    }),
    { numRuns: 400 },
  );
});

test('a row without a patient is hidden from callers limited to some patients', async () => {
  for (const one of [
    { comparison: 'notEquals', value: 'a' },
    { comparison: 'notIn', value: ['a', 'b'] },
    { comparison: 'notIn', value: [] },
    { comparison: 'exists' },
  ] as const) {
    const rows = rowsOf({ rules: { readData: [{ 'resource.subject': one }] } } as Policy, 'readData', tables);
    const shown = await sql.rows(
      `SELECT id FROM subjects WHERE ${subjectCondition(rows, 'id')} AND id IS NULL`,
    );
    assert.deepEqual(shown, [], JSON.stringify(one));
  }
});
