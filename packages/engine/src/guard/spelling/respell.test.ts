import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../refusal.ts';
import { respell, withRespelled } from './respell.ts';

const respelled: [sent: string, expected: string][] = [
  ['CAST(x AS ARRAY(JSON))', 'CAST(x AS json[])'],
  ['try_cast(x AS array<array<varchar(3)>>)', 'try_cast(x AS varchar(3)[][])'],
  ['CAST(x AS MAP<VARCHAR, ARRAY(BIGINT)>)', 'CAST(x AS MAP(varchar, bigint[]))'],
  ['CAST(x AS ROW("a b" ARRAY(INT), DOUBLE PRECISION))', 'CAST(x AS ROW("a b" int[], field1 DOUBLE))'],
  ['CAST(x AS ROW(n ARRAY(INT), INT ARRAY))', 'CAST(x AS ROW(n int[], field1 int[]))'],
  ['CAST(x AS timestamp(3) with time zone)', 'CAST(x AS timestamp WITH TIME ZONE)'],
  ['CAST(x AS INTEGER ARRAY)', 'CAST(x AS integer[])'],
  [
    'lag(f(x), 2) IGNORE /* why */ NULLS OVER (ORDER BY y)',
    'lag(f(x), 2  IGNORE /* why */ NULLS) OVER (ORDER BY y)',
  ],
  ["listagg(x, ',') WITHIN GROUP (ORDER BY y)", "listagg(x, ','   ORDER BY y)"],
  ['IF(a > (b), f(c, d))', 'IF(a > (b), f(c, d), NULL)'],
  ['if(a, [1, 2])', 'if(a, [1, 2], NULL)'],
  ["X'41 42'", "from_hex('4142')"],
  ["DECIMAL '0.00050'", "CAST('0.00050' AS DECIMAL(6, 5))"],
  ["decimal '-0012.'", "CAST('-0012.' AS DECIMAL(2, 0))"],
  ["TIMESTAMP '2024-01-01 00:00 UTC+05:30'", "TIMESTAMP '2024-01-01 00:00+05:30'"],
  ["TIMESTAMP '2024-01-01 00:00 UTC'", "TIMESTAMP '2024-01-01 00:00 UTC'"],
  ["DECIMAL '0'", "CAST('0' AS DECIMAL(1, 0))"],
  [`DECIMAL '${'9'.repeat(33)}.00001'`, `CAST('${'9'.repeat(33)}.00001' AS DECIMAL(38, 5))`],
  ["U&'d\\0061t\\+000061 \\\\ ''q'''", "'data \\ ''q'''"],
];

for (const [sent, expected] of respelled) {
  test(`${sent} becomes ${expected}`, () => {
    assert.equal(respell(`SELECT ${sent} FROM t`).sql, `SELECT ${expected} FROM t`);
  });
}

test('texts, names, comments and what the engine reads as it is stay', () => {
  for (const sql of [
    `SELECT 'CAST(x AS ARRAY(INT))', "if(a, b)", $$X'41'$$, $a$ if(a, b) $a$ -- if(a, b)`,
    "SELECT /* X'41' */ E'it\\'s X''41''', if(a, b, c), mode() WITHIN GROUP (ORDER BY y)",
    'SELECT x AS array, CAST(x AS INTEGER[]), CAST(x AS DECIMAL(10, 2)), lag(x IGNORE NULLS) OVER ()',
    'SELECT ARRAY(SELECT 1), CAST(ARRAY(SELECT 1) AS VARCHAR), prefix_x, e, u & 1, a.if',
    "SELECT CAST(x AS ARRAY(, 'open",
  ])
    assert.equal(respell(sql).sql, sql);
});

test('places behind and in what is respelled are those in the text that was sent', async () => {
  const sent = "SELECT 'ä', CAST(x AS ARRAY(JSON)), IF(a, b), wrong FROM t";
  const { sql, placeOf } = respell(sent);
  const bytes = (text: string, part: string) => Buffer.byteLength(text.slice(0, text.indexOf(part)));
  for (const part of ['ä', 'x AS', 'b)', 'wrong', 'FROM'])
    assert.equal(placeOf(bytes(sql, part.replace('b)', 'b,'))), bytes(sent, part), part);
  assert.equal(placeOf(bytes(sql, 'json')), bytes(sent, 'ARRAY'));
  await assert.rejects(
    withRespelled(sent, async (text) => {
      throw new Refusal('no', bytes(text, 'wrong'));
    }),
    { message: 'no', offset: bytes(sent, 'wrong') },
  );
});

test('decimals that the engine would round or refuse later are refused with their place', () => {
  for (const written of ['1e-3', '', '.', 'a', '1.2.3', '9'.repeat(39)])
    assert.throws(() => respell(`SELECT 'ä', DECIMAL '${written}'`), { message: /38 digits/, offset: 21 });
});

test('hexadecimal digits without a partner are refused with their place', () => {
  assert.throws(() => respell("SELECT 'ä', X'414'"), { message: /hexadecimal/, offset: 13 });
});
