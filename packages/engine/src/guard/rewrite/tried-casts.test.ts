import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DuckdbSql } from '../../duckdb.ts';
import { openSql } from '../../engine.fixture.ts';
import { engineDefaults } from '../../index.ts';
import { checkStatement, type SyntaxTrees } from '../check.ts';

let folder: string;
let sql: DuckdbSql;
let trees: SyntaxTrees;

/** Values of each type, of which some are in no other. */
const values: Record<string, readonly string[]> = {
  SMALLINT: ['5', '-300'],
  INTEGER: ['5', '70000'],
  BIGINT: ['5', '-7', '9007199254740993'],
  HUGEINT: ['5', '170141183460469231731687303715884105727'],
  UINTEGER: ['5', '4294967295'],
  DOUBLE: ['5.5', '1e300', "'nan'"],
  'DECIMAL(4,1)': ['5.5', '-99.9'],
  VARCHAR: ["'5'", "'x'", "'2020-01-01'", "'05'"],
  DATE: ["'2020-01-01'", "'9999-12-31'"],
  TIMESTAMP: ["'2020-01-01 10:00:00'"],
};
const types = Object.keys(values);
const tableOf = (type: string): string => `t_${type.replaceAll(/\W/g, '_')}`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tried-casts-'));
  sql = await openSql(folder);
  trees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
  for (const [type, list] of Object.entries(values)) {
    const rows = [...list, 'NULL'].map((value, at) => `(${at}, CAST(${value} AS ${type}))`);
    await sql.run(`CREATE TABLE ${tableOf(type)} AS SELECT * FROM (VALUES ${rows.join(', ')}) AS t(i, v)`);
  }
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

const check = async (statement: string): Promise<string> =>
  (await checkStatement(statement, types.map(tableOf), engineDefaults.check, trees)).sql;

/** Returns the rows of statements: an optimizer has no say in their meaning. */
async function plainly(statements: readonly string[]): Promise<unknown[]> {
  await sql.run('PRAGMA disable_optimizer');
  const found: unknown[] = [];
  for (const one of statements) found.push(await sql.rows(one).catch(() => 'fails'));
  await sql.run('PRAGMA enable_optimizer');
  return found;
}

test('a comparison with a tried cast holds as without an optimizer, of any two types', async () => {
  const statements = types.flatMap((from) =>
    types
      .filter((to) => to !== from)
      .flatMap((to) => {
        const [cast, constant] = [`TRY_CAST(v AS ${to})`, `CAST(${values[to]?.[0]} AS ${to})`];
        return [
          `SELECT (${cast} > ${constant}) AS a, (${cast} = ${constant}) AS b, (${constant} <> ${cast}) AS c,
            (${cast} IS DISTINCT FROM NULL) AS d, (${cast} BETWEEN ${constant} AND ${constant}) AS e FROM ${tableOf(from)} ORDER BY i`,
          `SELECT i FROM (SELECT i, ${cast} AS n FROM ${tableOf(from)}) WHERE n <> ${constant} ORDER BY i`,
          `SELECT ${cast} AS n FROM ${tableOf(from)} WHERE n >= ${constant} GROUP BY ${cast} HAVING ${cast} <> ${constant} ORDER BY n`,
        ];
      }),
  );
  const wanted = await plainly(statements);
  let answered = 0;
  for (const [at, statement] of statements.entries()) {
    const found = await check(statement)
      .then((text) => sql.rows(text))
      .catch(() => 'fails');
    assert.deepEqual(found, wanted[at], statement);
    if (found !== 'fails') answered += 1;
  }
  assert.ok(answered > 200, `${answered} statements were answered`);
});

test('a tried cast is taken wherever an expression is', async () => {
  const table = tableOf('BIGINT');
  for (const [statement, wanted] of [
    [`SELECT TRY_CAST(v AS INTEGER) FROM ${table} WHERE i = 0`, [{ 'TRY_CAST(v AS INTEGER)': 5 }]],
    [`SELECT DISTINCT TRY_CAST(v AS INTEGER) FROM ${table} WHERE i = 0 ORDER BY TRY_CAST(v AS INTEGER)`],
    [`SELECT TRY_CAST(v AS INTEGER), count(*) AS n FROM ${table} GROUP BY TRY_CAST(v AS INTEGER) ORDER BY n`],
    [`SELECT TRY_CAST((SELECT max(v) FROM ${table}) AS SMALLINT) > 4 AS c`, [{ c: null }]],
    [`SELECT TRY_CAST(sum(v) AS SMALLINT) > 4 AS c FROM ${table}`, [{ c: null }]],
    [`SELECT list_transform([70000, 3], x -> TRY_CAST(x AS SMALLINT) > 4) AS c`],
    [`SELECT count(*) FILTER (TRY_CAST(v AS SMALLINT) > 4) AS c FROM ${table}`, [{ c: '1' }]],
    [`SELECT a.i FROM ${table} a JOIN ${table} b ON TRY_CAST(a.v AS SMALLINT) = b.v ORDER BY 1`],
    [`SELECT TRY_CAST(v AS INTEGER) FROM ${table} UNION SELECT i FROM ${table} ORDER BY 1`],
  ] as const) {
    const [found] = [await sql.jsonRows(await check(statement), [])];
    assert.deepEqual(found, wanted ?? (await plainRows(statement)), statement);
  }
});

async function plainRows(statement: string): Promise<unknown> {
  await sql.run('PRAGMA disable_optimizer');
  const rows = await sql.jsonRows(statement, []);
  await sql.run('PRAGMA enable_optimizer');
  return rows;
}
