import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptSql } from '../../../test/support/kept-sql.ts';

const sql = await keptSql(256 << 20);

test('the bindings are those that the package above them works with: a connection of one goes to the other', () => {
  const { resolve } = createRequire(import.meta.url);
  const above = createRequire(resolve('@duckdb/node-api'));
  assert.equal(above.resolve('@duckdb/node-bindings'), resolve('@duckdb/node-bindings'));
});

test('texts of any length are read whole', async () => {
  for (const text of ['', 'twelve bytes', 'thirteen byte', '😀'.repeat(100_000)]) {
    assert.equal(await sql.text('SELECT 1, $1::VARCHAR', text), text);
  }
});

test('a statement that is no string is refused without reading foreign memory', async () => {
  const missing = "SELECT CASE WHEN range = 0 THEN NULL ELSE repeat('z', 40) END FROM range(1)";
  for (const statement of [missing, 'SELECT NULL::VARCHAR'])
    await assert.rejects(sql.text(statement), /NULL is no text/);
  await assert.rejects(sql.text("SELECT 'a' WHERE false"), /no row/);
});

// asvs: 1.4.2
test('numbers of any size go to the engine as they are', async () => {
  for (const number of [
    0,
    -1,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 63,
    -(2 ** 63),
    1e20,
    0.1,
    5e-324,
    Number.MAX_VALUE,
  ]) {
    const [row] = await sql.jsonRows('SELECT CAST($1 AS DOUBLE) AS number', [number]);
    assert.equal(row?.['number'], number);
  }
});

test('a writing statement returns its number of rows', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-duckdb-'));
  context.after(() => rmSync(folder, { recursive: true }));
  await sql.run('CREATE TEMP TABLE a AS SELECT range AS n FROM range(5000)');
  assert.equal(await sql.run('INSERT INTO a SELECT * FROM range(3)'), 3);
  assert.equal(await sql.run(`COPY a TO '${folder}/a.csv'`), 5003);
  assert.equal(await sql.run(`COPY (FROM a WHERE false) TO '${folder}/none.parquet' (FORMAT parquet)`), 0);
  await sql.run('DROP TABLE a');
});
