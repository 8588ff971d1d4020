import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { faultOfOwnName, tables } from './index.ts';

test('keywords that the engine does not take as the name of a table, and names of ours, are refused', async () => {
  const sql = await keptSql(256 << 20);
  const keywords = await sql.rows(
    "SELECT keyword_name AS name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved' AND length(keyword_name) > 2",
  );
  const names = keywords.map(({ name }) => String(name));
  for (const name of [...names, ...tables.keys(), ...[...tables.values()].map(({ plural }) => plural)])
    assert.ok(faultOfOwnName(name), name);
});

test('every name that is taken can be used without quotes', async () => {
  const sql = await keptSql(256 << 20);
  const keywords = await sql.rows('SELECT keyword_name AS name FROM duckdb_keywords()');
  for (const { name } of keywords)
    if (faultOfOwnName(String(name)) === undefined)
      await sql.run(
        `CREATE OR REPLACE TEMP TABLE ${name} (a INTEGER); SELECT a FROM ${name}; DROP TABLE ${name}`,
      );
  assert.equal(faultOfOwnName('biobank_2024'), undefined);
  for (const name of ['Biobank', 'a', '1st', 'a-b', '_resource', 'pg_class', 'x'.repeat(64)])
    assert.ok(faultOfOwnName(name), name);
});
