import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { convertContent, lines } from './conversion.fixture.ts';

const input = (line: number, message: RegExp) => ({ name: 'InputError', line, message });

describe('columns of a table of its own', () => {
  test('types are those that every value fits; ids with leading zeros stay text', async () => {
    const { columns, rows, warnings } = await convertContent(
      lines(
        'Patient ID,Age,Weight (kg),Zip,Consent,Drawn,Note,Long',
        'P2,61,70.5,01234,TRUE,2021-03-04,"a, b",12345678901234567',
        'P1,NA,,98765,false,NA,NA,1',
      ),
    );
    assert.deepEqual(columns, [
      'patient_id:string:hash',
      ...['age:int:null', 'weight_kg:float:null', 'zip:string:null', 'consent:boolean:null'],
      ...['drawn:date:null', 'note:string:null', 'long:string:null'],
    ]);
    assert.deepEqual(rows, [
      'P1|-|-|98765|false|-|NA|1',
      'P2|61|70.5|01234|true|2021-03-04|a, b|12345678901234567',
    ]);
    assert.deepEqual(warnings, []);
  });

  test('types, masks, key columns and words for nothing of the request count', async () => {
    const { columns, rows } = await convertContent(
      lines('record;site;smoker;score', 'R1;007;yes;-99', 'R2;008;0;1.5'),
      {
        patientColumn: 'record',
        nulls: ['-99'],
        columns: [
          { name: 'site', mask: 'code' },
          { name: 'smoker', type: 'boolean', mask: 'none' },
        ],
      },
    );
    assert.deepEqual(columns, [
      'patient_id:string:hash',
      'site:string:code',
      'smoker:boolean:none',
      'score:float:null',
    ]);
    assert.deepEqual(rows, ['R1|007|true|-', 'R2|008|false|1.5']);
  });

  test('a column of numbers with a few other values stays text, with a warning that names the line', async () => {
    const values = Array.from({ length: 20 }, (_, at) => `P${at},${at === 7 ? 'unknown' : at}`);
    const { columns, warnings } = await convertContent(lines('patient_id,age', ...values));
    assert.equal(columns[1], 'age:string:null');
    assert.equal(warnings[0]?.line, 9);
    assert.match(
      warnings[0]?.message ?? '',
      /^The column age stays text: it holds 19 numbers, and 1 values that are not numbers/,
    );
  });

  test('decimal commas and dates of another form stay text, with a warning and a remedy', async () => {
    const { columns, rows, warnings } = await convertContent(
      lines('patient_id;weight;born', 'P1;70,5;04.03.1961', 'P2;61;05.11.1970'),
    );
    assert.deepEqual(columns.slice(1), ['weight:string:null', 'born:string:null']);
    assert.equal(rows[0], 'P1|70,5|04.03.1961');
    assert.deepEqual(
      warnings.map(({ message }) => message.replace(/.*: write/, 'write')),
      ['write decimals with a point, and thousands without a separator.', 'write them as YYYY-MM-DD.'],
    );
  });

  test('numbers as people write them stay text, with a warning', async () => {
    const written = ['1.234,5', '-0,3', '1 234', '1,234,567', '12%', '\u22125', '1\u202f000,5'];
    for (const number of written) {
      const { rows, warnings } = await convertContent(lines('patient_id;v', `P1;${number}`, 'P2;7'));
      assert.deepEqual(rows, [`P1|${number}`, 'P2|7']);
      assert.match(warnings[0]?.message ?? '', /v stays text: it holds numbers with commas or other/, number);
    }
  });

  test('titles are names for SQL in small letters, also of other scripts', async () => {
    const { columns } = await convertContent(lines('patient_id,Größe (cm),2019,,年齢', 'P1,170,1,x,5'));
    assert.deepEqual(
      columns.map((column) => column.split(':')[0]),
      ['patient_id', 'größe_cm', 'c_2019', 'column_4', '年齢'],
    );
  });

  test('a table without patients and samples is made, with a warning', async () => {
    const { columns, warnings } = await convertContent(lines('drug,class', 'aspirin,NSAID'));
    assert.deepEqual(columns, ['drug:string:null', 'class:string:null']);
    assert.match(warnings[0]?.message ?? '', /neither patient_id nor sample_id/);
  });
});

describe('titles, names and options that are refused', () => {
  const cases: [string, string, Parameters<typeof convertContent>[1], RegExp][] = [
    ['two equal names', 'Age,age\n1,2\n', {}, /columns 1 and 2 are both called age/],
    ['a missing key column', 'a,b\n1,2\n', { patientColumn: 'c' }, /no column "c", which patientColumn/],
    ['values instead of titles', '1,2\n3,4\n', {}, /holds values instead of titles/],
    ['a mask of another type', 'a,b\nx,y\n', { columns: [{ name: 'a', mask: 'year' }] }, /mask year cannot/],
    ['a patient shown', 'patient_id\nx\n', { columns: [{ name: 'patient_id', mask: 'none' }] }, /mask hash/],
    ['a table of ours', 'a\nx\n', { name: 'observation' }, /every project has/],
    ['a plural of ours', 'a\nx\n', { name: 'observations' }, /every project has/],
    ['a reserved word', 'a\nx\n', { name: 'select' }, /reserved word/],
    ['a catalogue of the engine', 'a\nx\n', { name: 'duckdb_tables' }, /table of the engine/],
    ['an internal name', 'a\nx\n', { name: '_resource' }, /small letters/],
    ['a comment or titles', '#a,b\n1,2\n', {}, /begins with # and has as many columns/],
    ['a JSON list', '[{"a":1}]', {}, /one object per line/],
    ['a spreadsheet', 'PK\u0003\u0004rest', {}, /spreadsheet/],
    ['an empty file', '', {}, /empty/],
    ['lines that end with CR', 'a,b\r1,2\r', {}, /carriage return/],
  ];
  for (const [what, content, request, message] of cases)
    test(`${what}: refused with a reason`, async () => {
      await assert.rejects(convertContent(content, request), { name: 'InputError', message });
    });

  test('a file whose name is no name for a table asks for table.name', async () => {
    const named = (name: string) => convertContent('a\nx\n', {}, {}, name);
    await assert.rejects(named('observation.csv'), /set table\.name/);
    assert.equal((await named('lists/Biobank 2024 (Zürich).csv.gz')).table.table, 'biobank_2024_zurich');
  });
});

describe('lines that cannot be read', () => {
  const broken = 'patient_id,age\nP1,1\nP2\nP3,3,3\nP4,4\n';

  test('a line with more or fewer columns fails with its number and a remedy', async () => {
    await assert.rejects(convertContent(broken), input(3, /1 columns, but the header has 2.*Quote values/));
  });

  test('with onError skip such lines are left out, each with one warning', async () => {
    const { rows, warnings } = await convertContent(broken, {}, { onError: 'skip' });
    assert.deepEqual(rows, ['P1|1', 'P4|4']);
    assert.deepEqual(
      warnings.map(({ line }) => line),
      [3, 4],
    );
  });

  test('Latin-1 fails with the line and the remedy', async () => {
    const bytes = Buffer.from('patient_id,name\nP1,Ana\nP2,Jos\u00e9\n', 'latin1');
    await assert.rejects(convertContent(bytes), input(3, /not UTF-8 text\. Save the file as UTF-8/));
  });

  test('a value that is not of the type of the request fails with line and column, not with the value', async () => {
    const content = lines('patient_id,age', 'P1,61', 'P2,sixty');
    await assert.rejects(
      convertContent(content, { columns: [{ name: 'age', type: 'int' }] }),
      (error: Error) =>
        /Line 3.*column 2: a whole number/.test(error.message) && !/sixty/.test(error.message),
    );
  });

  test('lines without values are left out and counted; rows without a key are kept and counted', async () => {
    const { rows, warnings } = await convertContent(lines('patient_id,age', 'P1,1', ',', ',5'));
    assert.deepEqual(rows, ['P1|1', '-|5']);
    assert.deepEqual(
      warnings.map(({ line, message }) => `${line} ${message.slice(0, 30)}`),
      ['3 Lines without a value were lef', '4 Rows without a patient and a s'],
    );
  });
});

describe('NDJSON', () => {
  test('keys are columns, numbers keep their digits, texts stay text, lists are JSON', async () => {
    const { columns, rows } = await convertContent(
      lines(
        '{"patient_id":"P1","n":5,"code":"007","day":"2020-02-29","big":12345678901234567890,"ok":true}',
        '{"patient_id":"P2","n":1.50,"code":8,"day":null,"tags":["a",1.10],"ok":false}',
      ),
    );
    assert.deepEqual(columns, [
      ...['patient_id:string:hash', 'n:float:null', 'code:string:null', 'day:date:null'],
      ...['big:string:null', 'ok:boolean:null', 'tags:string:null'],
    ]);
    assert.deepEqual(rows, [
      'P1|5.0|007|2020-02-29|12345678901234567890|true|-',
      'P2|1.5|8|-|-|false|["a",1.10]',
    ]);
  });

  test('a line that is no object fails with its number', async () => {
    await assert.rejects(convertContent('{"a":1}\n5\n'), input(2, /JSON object/));
    await assert.rejects(convertContent('{"a":1}\n{"a":\n'), input(2, /not JSON/));
  });
});

describe('Parquet', () => {
  async function parquet(select: string): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'ploidy-parquet-'));
    try {
      const path = join(folder, 'a.parquet');
      await (await keptSql(256 << 20)).run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
      return await readFile(path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  test('columns keep their types; times of midnight are dates, and other types texts', async () => {
    const { columns, rows, warnings, account } = await convertContent(
      await parquet(`SELECT * FROM (VALUES
        ('P2', 1::INTEGER, 2.5::DOUBLE, TIMESTAMP '2020-01-02 00:00:00', TIMESTAMP '2020-01-02 10:00:00', [1, 2], 9::DECIMAL(38, 0), 1.25::DECIMAL(5, 2)),
        ('P1', NULL, 'NaN'::DOUBLE, NULL, NULL, NULL, NULL, NULL)) AS v("Patient ID", "a""b", f, day, time, list, huge, price)`),
    );
    assert.deepEqual(columns, [
      ...['patient_id:string:hash', 'a_b:int:null', 'f:float:null', 'day:date:null'],
      ...['time:string:null', 'list:string:null', 'huge:string:null', 'price:float:null'],
    ]);
    assert.deepEqual(rows, ['P1|-|-|-|-|-|-|-', 'P2|1|2.5|2020-01-02|2020-01-02 10:00:00|[1,2]|9|1.25']);
    assert.match(warnings[0]?.message ?? '', /column f holds NaN or infinite values.*: 1\./);
    assert.deepEqual([account?.records, account?.read.length, account?.leftOut], [2, 8, []]);
  });

  test('ids with fractions, bytes, and damaged files are refused', async () => {
    await assert.rejects(
      convertContent(await parquet('SELECT 1.0::DOUBLE AS patient_id')),
      /write them as text/,
    );
    await assert.rejects(convertContent(await parquet("SELECT 'a'::BLOB AS picture")), /holds bytes/);
    const whole = await parquet('SELECT range AS n FROM range(1000)');
    await assert.rejects(convertContent(whole.subarray(0, 500)), /damaged/);
  });
});

test('lines are those with rows and those left out, and every column is read', async () => {
  const { account } = await convertContent(
    lines('patient_id,age', 'p1,5', ',', 'p2,6,7'),
    {},
    { onError: 'skip' },
  );
  assert.deepEqual(account, {
    records: 3,
    read: [
      { name: 'patient_id', count: 1 },
      { name: 'age', count: 1 },
    ],
    kept: [],
    unread: [],
    leftOut: [
      { name: 'lines without a value', count: 1, line: 3 },
      { name: 'broken lines (onError skip)', count: 1, line: 4 },
    ],
  });
});
