import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useEngine } from '../engine.fixture.ts';

const opened = useEngine();
const { signal } = new AbortController();

async function rowsOf(query: string): Promise<{ types: string[]; rows: unknown[] }> {
  const { engine, lake } = opened;
  const outputPath = join(lake.folder, 'rows.trino');
  const statement = await engine.check(query, []);
  const { columns = [] } = await engine.query({ statement, tables: [], outputPath, format: 'trino' }, signal);
  const lines = readFileSync(outputPath, 'utf8').split('\n').slice(0, -1);
  return { types: columns.map(({ type }) => type), rows: lines.map((line) => JSON.parse(line)) };
}

const values: [sql: string, value: unknown][] = [
  ['true', true],
  ['CAST(7 AS TINYINT)', 7],
  ["DECIMAL '1.50'", '1.50'],
  ["CAST('1e300' AS DOUBLE)", 1e300],
  ["CAST('NaN' AS DOUBLE)", 'NaN'],
  ["CAST('-inf' AS REAL)", '-Infinity'],
  ["'a\"b\\c' || chr(10) || chr(1)", 'a"b\\c\n\u0001'],
  ["''", ''],
  ["DATE '2024-01-01'", '2024-01-01'],
  ["TIME '10:00:00.5'", '10:00:00.500000'],
  ["TIME '10:00:00'", '10:00:00.000000'],
  ["TIMESTAMP '2024-01-01 00:00:00.123456'", '2024-01-01 00:00:00.123456'],
  ["CAST(TIMESTAMP '2024-01-01 00:00:00.123456' AS TIMESTAMP_MS)", '2024-01-01 00:00:00.123'],
  ["CAST('2024-01-01 12:00:00.5+02' AS TIMESTAMP WITH TIME ZONE)", '2024-01-01 10:00:00.500000 UTC'],
  ["from_hex('00ff')", 'AP8='],
  ["CAST('00000000-0000-0000-0000-000000000001' AS UUID)", '00000000-0000-0000-0000-000000000001'],
  ['sum(1)', 1],
  ['ARRAY[1, NULL, 3]', [1, null, 3]],
  ['CAST(ARRAY[] AS INTEGER[])', []],
  ["row(1, 'x', NULL)", [1, 'x', null]],
  ["MAP(ARRAY['a', 'b'], ARRAY[DATE '2024-01-01', NULL])", { a: '2024-01-01', b: null }],
  ["ARRAY[row(1.5, ARRAY['x'])]", [['1.5', ['x']]]],
  ['NULL', null],
];

test('values of every type have the form of the Trino protocol', async () => {
  const { rows } = await rowsOf(`SELECT ${values.map(([sql]) => sql).join(', ')}`);
  assert.deepEqual(rows, [values.map(([, value]) => value)]);
});

test('a sum beyond 64 bits and an infinite date fail instead of changing', async () => {
  await assert.rejects(
    rowsOf('SELECT sum(n) FROM (VALUES (9223372036854775807), (1)) AS r(n)'),
    /out of range/i,
  );
  await assert.rejects(rowsOf("SELECT CAST('infinity' AS DATE)"), /infinite/);
});

test('whole numbers of 64 bits keep their digits', async () => {
  const { engine, lake } = opened;
  const outputPath = join(lake.folder, 'digits.trino');
  const statement = await engine.check('SELECT 9223372036854775807 AS n', []);
  await engine.query({ statement, tables: [], outputPath, format: 'trino' }, signal);
  assert.equal(readFileSync(outputPath, 'utf8'), '[9223372036854775807]\n');
});

test('a small statement reads the rows of its task, and the next one does not find them', async () => {
  const { engine } = opened;
  const columns = [
    { name: 'name', type: 'VARCHAR' },
    { name: 'size', type: 'BIGINT' },
  ];
  const rows = [
    { name: 'a', size: 1 },
    { name: null, size: 9007199254740991 },
  ];
  const found = await engine.lookUp(
    { sql: 'SELECT * FROM files ORDER BY size', relations: [{ name: 'files', columns, rows }] },
    signal,
  );
  assert.deepEqual(found, { columns, lines: ['["a",1]', '[null,9007199254740991]'] });
  const empty = await engine.lookUp(
    { sql: 'SELECT * FROM none', relations: [{ name: 'none', columns, rows: [] }] },
    signal,
  );
  assert.deepEqual(empty, { columns, lines: [] });
  await assert.rejects(engine.lookUp({ sql: 'SELECT * FROM files', relations: [] }, signal), /files/);
});
