/** Cases of public bug reports of other tools. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { convertContent, lines } from './conversion.fixture.ts';

async function read(content: string | Uint8Array, name = 'biobank.csv') {
  const { columns, rows, warnings } = await convertContent(content, {}, {}, name);
  return {
    types: columns.map((column) => column.replace(/:[a-z]+$/, '')),
    rows: rows.sort(),
    warnings: warnings.map(({ line, message }) => `${line} ${message}`).join('; '),
  };
}

async function parquetOf(select: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-parquet-'));
  try {
    const path = join(folder, 'a.parquet');
    await (await keptSql(256 << 20)).run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const refused = (content: string, message: RegExp, name = 'biobank.csv'): Promise<void> =>
  assert.rejects(convertContent(content, {}, {}, name), { name: 'InputError', message }, content);

test('separators that are not read are refused, since all columns would be one', async () => {
  for (const [separator, name] of [
    ['|', 'vertical bars'],
    ['^', 'carets'],
    ['~', 'tildes'],
    [' ', 'blanks'],
    ['   ', 'blanks'],
    [':', 'colons'],
  ])
    await refused(
      lines(['patient_id', 'age'].join(separator), ['P1', '61'].join(separator)),
      new RegExp(`separated by ${name}: write the file with commas`),
    );
  const one = await read(lines('Patient ID', 'P1', 'P2'));
  assert.deepEqual([one.types, one.rows], [['patient_id:string'], ['P1', 'P2']]);
  assert.deepEqual((await read(lines('"drug name"', 'folic acid'))).rows, ['folic acid']);
});

test('lines decide between commas and semicolons in the titles, and where they cannot, the file is refused', async () => {
  const { types, rows } = await read(
    lines('patient_id;weight (kg, dry);note (a, b)', 'P1;70,5;x', 'P2;61;y, z'),
  );
  assert.deepEqual(types, ['patient_id:string', 'weight_kg_dry:string', 'note_a_b:string']);
  assert.deepEqual(rows, ['P1|70,5|x', 'P2|61|y, z']);
  await refused(lines('age, years;weight, kg', '61,5;70,5'), /The separator may be a comma or a semicolon/);
  assert.deepEqual((await read(lines('patient_id,days', 'P1,01/04/2022;02/04/2022'))).rows, [
    'P1|01/04/2022;02/04/2022',
  ]);
  assert.deepEqual((await read(lines('patient_id;tel', 'P1;5,58199E+12'))).rows, ['P1|5,58199E+12']);
  assert.deepEqual((await read(lines('patient_id ; age ', 'P1   ; 5  '))).rows, ['P1|5']);
  assert.deepEqual((await read(lines('"patient_id";"Age\n(years)"', 'P1;5'))).types[1], 'age_years:int');
  assert.deepEqual((await read('"Age\n(years)";patient_id\n5;P1\n')).types, [
    'age_years:int',
    'patient_id:string',
  ]);
  assert.deepEqual((await read('patient_id,note\nP1,"a\nb, c"\n')).rows, ['P1|a\nb, c']);
});

test('ids that a program has changed are kept, and counted in a warning', async () => {
  for (const [ids, note] of [
    [['1001.0', '1002.0'], '2 2 ids in patient_id end with .0'],
    [['1.23457E+11', 'P2'], '2 1 ids in patient_id are like 1.2E+11'],
    [['1-Mar', 'Sep-02'], '2 2 ids in patient_id are like 1-Mar'],
    [["'P1'", "'P2'"], '2 2 ids in patient_id are in single quotation marks'],
    [['P1', 'P1\u200b'], '3 1 ids in patient_id hold invisible characters'],
  ] as const) {
    const { rows, warnings } = await read(lines('patient_id,age', ...ids.map((id) => `${id},5`)));
    assert.deepEqual(rows, ids.map((id) => `${id}|5`).sort());
    assert.ok(warnings.startsWith(note), warnings);
  }
  assert.equal((await read(lines('patient_id,age', 'P1,5', '007,6', '1E5,7', 'A-1,8'))).warnings, '');
});

test('a word for nothing is no patient', async () => {
  const { rows, warnings } = await read(lines('patient_id,country', 'NA,NA', 'null,DE', 'P3,FR'));
  assert.deepEqual(rows, ['-|DE', '-|NA', 'P3|FR']);
  assert.match(warnings, /2 Rows without a patient and a sample: 2/);
  const parquet = await parquetOf(
    "SELECT * FROM (VALUES ('NA', 'NA'), ('P1', 'x')) AS v(patient_id, country)",
  );
  assert.deepEqual((await read(parquet)).rows, ['-|NA', 'P1|x']);
});

test('infinite dates and NaN inside lists of Parquet are NULL and counted, and a FLOAT keeps its digits', async () => {
  const { types, rows, warnings } = await read(
    await parquetOf(`SELECT 'P1' AS patient_id, DATE 'infinity' AS d, ['nan'::DOUBLE] AS l, ['NaN " Infinity'] AS t,
      0.1::FLOAT AS f, 9007199254740993 AS n, 18446744073709551615::UBIGINT AS u, TIMESTAMPTZ '2020-01-01 02:00:00+02' AS z,
      TIMESTAMP_NS '2020-01-01 00:00:00.123456789' AS s`),
  );
  assert.deepEqual(
    types.map((type) => type.split(':')[1]),
    ['string', 'date', 'string', 'string', 'float', 'int', 'string', 'string', 'string'],
  );
  assert.match(
    rows.join(),
    /^P1\|-\|-\|\["NaN \\" Infinity"\]\|0\.1\|9007199254740993\|18446744073709551615\|/,
  );
  assert.match(warnings, /column d holds NaN or infinite values.*column l holds NaN or infinite values/);
});

test('words for nothing are NULL in every type of Parquet, lists of decimals are JSON, nanoseconds no midnight', async () => {
  const parquet = await parquetOf(`SELECT -99 AS n, -99.0::DOUBLE AS f, 9007199254740993 AS b,
    [1.5::DECIMAL(4,2), NULL] AS l, TIMESTAMP_NS '2020-01-01 00:00:00.0000005' AS t`);
  const { rows, columns } = await convertContent(parquet, { nulls: ['-99', '9007199254740992'] });
  assert.deepEqual(rows, ['-|-|9007199254740993|[1.5,null]|2020-01-01 00:00:00.0000005']);
  assert.deepEqual(
    columns.map((column) => column.split(':')[1]),
    ['int', 'float', 'int', 'string', 'string'],
  );
});

test('numbers of which some end in zeros may be codes: a warning names their column', async () => {
  const table = lines('icd9,ph,q', '250.00,7.40,1.0', '401.9,7.35,2.25', '250.0,7.30,3');
  const { columns, warnings } = await convertContent(table);
  assert.deepEqual(columns, ['icd9:float:null', 'ph:float:null', 'q:float:null']);
  const [codes, ...others] = warnings.filter(({ message }) => message.includes('zeros'));
  assert.match(`${codes?.line} ${codes?.message}`, /^2 The column icd9 .* type string\.$/);
  assert.deepEqual(others, []);
});

test('keys with a backslash end the file: parsers of JSON confuse others with them', async () => {
  await refused(lines('{"a":1,"\\\\":2}', '{"a":1,"\\u00e9":3}'), /a key holds a backslash/);
});

test('quotes that do not end, stand within or are followed by blanks break their line', async () => {
  await refused(
    'patient_id\tnote\nP1\t"a\nb"\n',
    /Line 2.*column 2: a quoted field does not end in its line/,
  );
  await refused(
    lines('patient_id,a,b', 'P1,bar,"ba', 'P2,x,y'),
    /A quoted field that begins in line 2 does not end/,
  );
  for (const field of ['"x "y" z"', '"12"  ', ' "12"', '""A"" ST'])
    await refused(lines('patient_id,a', `P1,${field}`), /Line 2.*quotation mark is misplaced/);
  await refused('patient_id,a\nP1,hello\rworld\n', /control character|carriage return/);
  const { rows } = await read('patient_id\tnote\nP1\t5" pipe\nP2\t"a ""b"""\n');
  assert.deepEqual(rows, ['P1|5" pipe', 'P2|a "b"']);
});

test('numbers keep all their digits, as text where no number can hold them', async () => {
  for (const [values, type, rows] of [
    [['1234567890123456789', ''], 'string', ['1234567890123456789', '-']],
    [['135217135789158401', '1352171357E+5'], 'string', ['135217135789158401', '1352171357E+5']],
    [['6144039378640938.000000', '5.5'], 'string', ['6144039378640938.000000', '5.5']],
    [['11111111111111111111.1', '5'], 'string', ['11111111111111111111.1', '5']],
    [['0.00000000000001953', '-3.42E-018'], 'float', ['1.953e-14', '-3.42e-18']],
    [['"3,456"', '5'], 'string', ['3,456', '5']],
    [['\u22125', '1\u00a0234'], 'string', ['\u22125', '1\u00a0234']],
    [['Infinity', '5'], 'string', ['Infinity', '5']],
    [['.', '1.0'], 'float', ['-', '1.0']],
  ] as const) {
    const found = await read(lines('patient_id,n', ...values.map((value, at) => `P${at},${value}`)));
    assert.deepEqual(found.types, ['patient_id:string', `n:${type}`]);
    assert.deepEqual(
      found.rows,
      rows.map((value, at) => `P${at}|${value}`),
    );
  }
  const { warnings } = await read(lines('patient_id,n', 'P1,"1,234"'));
  assert.match(warnings, /write decimals with a point, and thousands without a separator/);
});

test('JSON with a repeated key at any depth, or a text that no table can hold, breaks its line', async () => {
  for (const object of [
    '{"a":{"b":1,"b":2}}',
    '{"a":[{"b":1,"b":2}]}',
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
  ])
    await refused(`${object}\n`, /a key is repeated/, 'biobank.ndjson');
  for (const text of ['x\\u0000y', '\\ud800'])
    await refused(`{"a":"${text}"}\n`, /holds NUL or an unpaired surrogate/, 'biobank.ndjson');
  await refused('{"a":NaN}\n', /not JSON/, 'biobank.ndjson');
  const { rows } = await read(
    '\ufeff{"a":"\\ud83d\\ude00 \\"b\\": 1","b":{"c":{"b":1}},"n":null}\n{"a":"null"}\n',
    'biobank.ndjson',
  );
  assert.deepEqual(rows, ['null|-|-', '\u{1f600} "b": 1|{"c":{"b":1}}|-']);
});
