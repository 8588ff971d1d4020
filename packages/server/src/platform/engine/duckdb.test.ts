import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from './duckdb.ts';
import { type Lake, makeLake, openSql } from './engine.fixture.ts';

let lake: Lake;
let sql: DuckdbSql;

before(async () => {
  lake = await makeLake();
  sql = await openSql(lake.folder);
});

after(async () => {
  sql.close();
  await lake.remove();
});

test('texts of any length are read whole', async () => {
  for (const text of ['', 'twelve bytes', 'thirteen byte', '😀'.repeat(100_000)]) {
    assert.equal(await sql.text('SELECT 1, $1::VARCHAR', text), text);
  }
});

test('what a statement wrote is told in rows', async () => {
  await sql.run('CREATE TABLE a AS SELECT range AS n FROM range(5000)');
  assert.equal(await sql.run('INSERT INTO a SELECT * FROM range(3)'), 3);
  assert.equal(await sql.run(`COPY a TO '${lake.folder}/a.csv'`), 5003);
  assert.equal(
    await sql.run(`COPY (FROM a WHERE false) TO '${lake.folder}/none.parquet' (FORMAT parquet)`),
    0,
  );
});
