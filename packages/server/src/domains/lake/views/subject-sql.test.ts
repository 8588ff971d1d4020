import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compilePolicy, type Json, type Policy, type SingleComparison } from '@ploidy/policy';
import fc from 'fast-check';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import { rowsOf } from '../../../access/rows.ts';
import { subjectCondition } from './subject-sql.ts';

const ids = ['a', 'ab', 'b', 'ba', 'aba', '1', "o'x", 'é😀', '\\', '%', ''];
const tables = { account: 'ab', dataset: 'a', type: 'table' } as const;
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

const word = fc.constantFrom<Json>(...ids, 'a\0', '\ud83d', "') OR (true", 1, true, null);
const texts = fc.array(word, { maxLength: 4 });
const single: fc.Arbitrary<SingleComparison> = fc.oneof(
  fc.record({
    comparison: fc.constantFrom('equals', 'notEquals', 'includes', 'notIncludes'),
    value: word.filter((one) => one !== null),
  }),
  fc.record({ comparison: fc.constantFrom('in', 'notIn', 'superset', 'subset'), value: texts }),
  fc.record({
    comparison: fc.constantFrom('startsWith', 'endsWith', 'prefixOf', 'suffixOf'),
    value: fc.constantFrom(...ids, 'abab', "o'xy"),
  }),
  fc.record({
    comparison: fc.constantFrom('equals', 'notEquals', 'startsWith', 'suffixOf'),
    target: fc.constantFrom('resource.dataset', 'resource.account', 'resource.ownerId'),
  }),
  fc.constant({ comparison: 'exists' }),
);
const comparison = fc.oneof(
  single,
  fc.array(single, { minLength: 1, maxLength: 3 }).map((of) => ({ comparison: 'all', of }) as const),
);
const path = fc.constantFrom(
  'resource.subject',
  'resource.subject',
  'resource.dataset',
  'resource.ownerId',
  'resource.type',
);
const rule = fc.dictionary(path, comparison, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
const policy = fc
  .array(rule, { minLength: 1, maxLength: 3 })
  .map((rules) => ({ rules: { readData: rules } }) as Policy);

test('the SQL condition selects the rows whose patients single decisions allow', async () => {
  await fc.assert(
    fc.asyncProperty(policy, async (drawn) => {
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
