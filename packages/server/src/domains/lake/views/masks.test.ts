import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Column, engineTypes, type Table, tables } from '@ploidy/formats';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import { Masks } from './masks.ts';
import { VisibleTables } from './visible-tables.ts';

const words = 'Jane Doe of Springfield';
const day = '1961-05-17';
let folder: string;
let sql: DuckdbSql;

/** Creates a row of every table in which each string and date identifies the patient. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'masks-'));
  sql = await openSql(folder);
  const seen = new VisibleTables(
    { real: false, masked: true, countsMin: 0 },
    new Masks(new Uint8Array(32), 'project'),
  );
  for (const table of tables.values()) {
    await sql.run(
      `CREATE TABLE raw_${table.name} AS SELECT ${table.columns.map(telling).join(', ')}, ',' AS _words`,
    );
    const relation = { sql: `SELECT * FROM raw_${table.name}`, files: [] };
    const view = seen.view(table, relation, () => relation);
    await sql.run(`CREATE VIEW "${table.name}" AS ${view.sql}`);
  }
});

after(async () => {
  sql.close();
  await rm(folder, { recursive: true, force: true });
});

function telling({ name, type }: Column): string {
  const isShown = String(name !== 'is_shown');
  const values = { string: `'${words}'`, date: `DATE '${day}'`, int: '7', float: '0.5', boolean: isShown };
  return `${values[type]}::${engineTypes[type]} AS "${name}"`;
}

/** Returns what a statement reveals: its rows or its error. */
async function shownBy(statement: string): Promise<string> {
  const rows = await sql.rows(statement).catch((error: Error) => error.message);
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** Statements that could reveal a value: by rows, errors, strings, lists, types, other tables. */
const ways = (table: string, column: string): string[] => [
  `SELECT "${column}" FROM "${table}"`,
  `SELECT error("${column}"::VARCHAR) FROM "${table}"`,
  `SELECT CAST("${column}" AS INTEGER) FROM "${table}"`,
  `SELECT CAST("${column}"::VARCHAR AS TIMESTAMP) FROM "${table}"`,
  `SELECT TRY_CAST("${column}" AS VARCHAR), typeof("${column}"), "${column}" IS NULL FROM "${table}"`,
  `SELECT strptime("${column}"::VARCHAR, '%d.%m.%Y') FROM "${table}"`,
  `SELECT json_extract("${column}"::VARCHAR, '$.a') FROM "${table}"`,
  `SELECT decode(from_hex("${column}"::VARCHAR)) FROM "${table}"`,
  `SELECT min("${column}"), max("${column}"), mode("${column}"), list("${column}"), histogram("${column}") FROM "${table}"`,
  `SELECT lag("${column}") OVER (ORDER BY "${column}"), first_value("${column}") OVER () FROM "${table}"`,
  `SELECT count(*) AS found FROM "${table}" WHERE "${column}"::VARCHAR IN ('${words}', '${day}') HAVING count(*) > 0`,
  `SELECT 'found' FROM "${table}" WHERE "${column}"::VARCHAR LIKE '%Jane%' OR "${column}"::VARCHAR LIKE '${day}%'`,
  `SELECT 'found' FROM "${table}" a JOIN (SELECT '${words}' AS v) b ON a."${column}"::VARCHAR = b.v`,
];

const hidden = ({ mask, type }: Column): boolean => mask !== 'none' && (type === 'string' || type === 'date');

for (const table of [...tables.values()].filter(({ columns }) => columns.some(hidden))) {
  test(`no query on ${table.name} reveals a masked value`, async () => {
    const statements = table.columns.filter(hidden).flatMap((column) => ways(table.name, column.name));
    for (const statement of statements) assertHidden(statement, await shownBy(statement));
  });

  test(`whole rows of ${table.name} reveal no masked value`, async () => {
    const shown = await Promise.all(
      [
        `SELECT t FROM "${table.name}" t`,
        `SELECT to_json(t), t::VARCHAR, list(t) OVER () FROM "${table.name}" t`,
        `SELECT error(t::VARCHAR) FROM "${table.name}" t`,
        `SELECT COLUMNS('.*') FROM "${table.name}"`,
        `SELECT struct_pack(${hiddenNames(table)}) FROM "${table.name}"`,
        `SELECT * FROM (SELECT COLUMNS(*)::VARCHAR FROM "${table.name}") UNPIVOT INCLUDE NULLS (v FOR k IN (*))`,
        `SELECT DISTINCT ON (1) * FROM "${table.name}"`,
        `SELECT _subject FROM "${table.name}"`,
        `SELECT _patient FROM "${table.name}"`,
        `SELECT filename FROM "${table.name}"`,
      ].map(async (statement) => [statement, await shownBy(statement)] as const),
    );
    for (const [statement, shownText] of shown) {
      const open = table.columns.some((column) => column.mask === 'none' && column.type === 'string');
      // Columns shown in full hold the same words here.
      if (!open) assertHidden(statement, shownText);
      assert.ok(!shownText.includes(day), `${statement} → ${shownText}`);
    }
  });
}

const hiddenNames = (table: Table): string =>
  table.columns
    .filter(hidden)
    .map(({ name }) => `"${name}" := "${name}"`)
    .join(', ');

function assertHidden(statement: string, shownText: string): void {
  // Ignore the statement's own words: an error may repeat them.
  const said = shownText.replaceAll(statement, '').replace(/LINE 1: .*/s, '');
  for (const mark of ['Jane', 'Springfield', day, 'found"', '"found']) {
    assert.ok(
      !said.includes(mark) || /(column|Column) named|not found in FROM/.test(said),
      `${statement} → ${shownText}`,
    );
  }
}

test('hashes and shifts differ between projects and between keys', async () => {
  const column = { name: 'id', type: 'string', mask: 'hash' } as const;
  const of = async (key: number, project: string): Promise<string> => {
    const masks = new Masks(new Uint8Array(32).fill(key), project);
    const [row] = await sql.rows(`SELECT ${masks.expression(column, undefined)} FROM (SELECT 'p-1' AS id)`);
    return String(row?.['id']);
  };
  const hashes = [await of(1, 'a'), await of(1, 'b'), await of(2, 'a')];
  assert.equal(new Set(hashes).size, 3);
  assert.equal(await of(1, 'a'), hashes[0]);
});

test('codes are shown, and free text in their place is hidden', async () => {
  const masks = new Masks(new Uint8Array(32), 'project');
  const column = { name: 'category', type: 'string', mask: 'code' } as const;
  for (const [value, shown] of [
    ['vital-signs', 'vital-signs'],
    ['http://loinc.org', 'http://loinc.org'],
    ['seen by Dr Smith', null],
    ['x\ny', null],
    ['x'.repeat(65), null],
    ['', null],
  ] as const) {
    const rows = await sql.rows(
      `SELECT ${masks.expression(column, undefined)} FROM (SELECT '${value}' AS category)`,
    );
    assert.equal(rows[0]?.['category'], shown, value);
  }
});

test('a value of a concept is shown where its source has a code, and hidden where it has words', async () => {
  const masks = new Masks(new Uint8Array(32), 'project');
  const column = { name: 'category', type: 'string', mask: 'coded' } as const;
  for (const [value, words, shown] of [
    ['Smith', ',category,', null],
    ['123-45-6789', ',stage,category,', null],
    ['Smith', ',stage,', 'Smith'],
    ['LOCAL-7', ',', 'LOCAL-7'],
    ['two words', ',', null],
    // Files of before have no such column.
    ['Smith', null, null],
    ['123-45-6789', null, null],
    ['problem-list-item', null, 'problem-list-item'],
    ['24484000', ',', '24484000'],
    ['24484000', null, '24484000'],
    ['123456789', null, null],
    ['015112345678', null, null],
    ['AMB', null, 'AMB'],
    ['E11.9', null, 'E11.9'],
    ['en-US', null, 'en-US'],
  ] as const) {
    const marked = words === null ? 'NULL::VARCHAR' : `'${words}'`;
    const rows = await sql.rows(
      `SELECT ${masks.expression(column, undefined)} FROM (SELECT '${value}' AS category, ${marked} AS _words)`,
    );
    assert.equal(rows[0]?.['category'], shown, `${value} ${words}`);
  }
});

test('births without a date stay empty, and those of 90 years ago form one group', async () => {
  const masks = new Masks(new Uint8Array(32), 'project');
  const column = { name: 'dob', type: 'date', mask: 'year' } as const;
  const oldest = `${new Date().getUTCFullYear() - 90}-01-01`;
  for (const [value, shown] of [
    ['NULL', null],
    ["'1900-07-01'", oldest],
    ["'1850-07-01'", oldest],
    ["'2001-12-31'", '2001-01-01'],
  ] as const) {
    const rows = await sql.rows(
      `SELECT (${masks.expression(column, undefined).replace(/ AS "dob"$/, '')})::VARCHAR AS dob FROM (SELECT ${value}::DATE AS dob)`,
    );
    assert.equal(rows[0]?.['dob'], shown);
  }
});

test('values of attributes are shown where is_shown is true', async () => {
  const masks = new Masks(new Uint8Array(32), 'project');
  const masked = masks.expression({ name: 'value', type: 'string', mask: 'shown' }, undefined);
  const rows = await sql.rows(
    `SELECT ${masked} FROM (VALUES ('a', true), ('b', false), ('c', NULL)) AS t(value, is_shown)`,
  );
  assert.deepEqual(
    rows.map(({ value }) => value),
    ['a', null, null],
  );
});

test('race and ethnicity show categories and hide free text', async () => {
  const masks = new Masks(new Uint8Array(32), 'project');
  const shown = async (race: string): Promise<unknown> => {
    const masked = masks.expression({ name: 'race', type: 'string', mask: 'omb' }, undefined);
    const [row] = await sql.rows(`SELECT ${masked} FROM (SELECT '${race}' AS race)`);
    return row?.['race'];
  };
  const categories = [
    'Black or African American',
    'White; Asian',
    'Not Hispanic or Latino',
    'Non-Hispanic or Latino',
    '2106-3',
    'UNK',
    'native hawaiian or other pacific islander',
  ];
  for (const race of categories) assert.equal(await shown(race), race);
  for (const race of ['Samoan, daughter of Mary Smith', 'White; Mary Smith', 'Whiter', ''])
    assert.equal(await shown(race), null, race);
});
