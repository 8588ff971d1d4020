import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../duckdb.ts';
import { type Lake, makeLake, openSql } from '../engine.fixture.ts';
import { engineDefaults } from '../index.ts';
import { analytics } from './analytics.fixture.ts';
import { checkStatement, type SyntaxTrees } from './check.ts';

let lake: Lake;
let sql: DuckdbSql;
let trees: SyntaxTrees;

before(async () => {
  lake = await makeLake();
  sql = await openSql(lake.folder);
  await sql.run("SET TimeZone = 'UTC'");
  for (const table of lake.tables) await sql.run(`CREATE VIEW ${table.name} AS ${table.sql}`);
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
});

after(async () => {
  sql.close();
  await lake.remove();
});

for (const statement of analytics) {
  test(`result is the same with and without the guard: ${statement}`, async () => {
    const checked = await checkStatement(statement, ['variant', 'patient'], engineDefaults.check, trees);
    assert.deepEqual(await resultOf(checked.sql), await resultOf(statement));
  });
}

/** Types and values; the engine makes up names for expressions without one, from their text. */
async function resultOf(text: string): Promise<unknown> {
  const columns = await sql.columns(text);
  const rows = await sql.rows(text);
  return { types: columns.map((column) => column.type), rows: rows.map((row) => Object.values(row)) };
}

test('names of columns are kept', async () => {
  const statement = 'SELECT gene, 1e5 AS "x y", count(*) AS n, sum(position) FROM variant GROUP BY gene';
  const checked = await checkStatement(statement, ['variant'], engineDefaults.check, trees);
  assert.deepEqual(await sql.columns(checked.sql), await sql.columns(statement));
});

test('the tables that a statement reads are returned in the spelling of the project', async () => {
  const statement = 'SELECT 1 FROM VARIANT, (SELECT 1 FROM main.Patient) WHERE EXISTS (FROM variant)';
  const checked = await checkStatement(
    statement,
    ['Variant', 'patient', 'media'],
    engineDefaults.check,
    trees,
  );
  assert.deepEqual(checked.tables, ['Variant', 'patient']);
});
