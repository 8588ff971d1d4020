import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import type { DuckdbSql } from '../duckdb.ts';
import { type Lake, makeLake, openSql } from '../engine.fixture.ts';
import { literal } from './quote.ts';
import { planResult } from './result-file.ts';

let lake: Lake;
let sql: DuckdbSql;

before(async () => {
  lake = await makeLake();
  sql = await openSql(lake.folder);
  await sql.run("SET TimeZone = 'UTC'");
});

after(async () => {
  sql.close();
  await lake.remove();
});

const digits = (max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits(20), digits(18))
  .map(([sign, whole, part]) => `${sign}${whole}.${part}`);
const floats = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);
/** Milliseconds from the year 1 to the year 9999. */
const times = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const rows = fc.sample(fc.record({ integer: integers, decimal: decimals, float: floats, time: times }), {
  numRuns: 150,
  seed: 53,
});

const number = (value: number): string => `${literal(String(value))}::DOUBLE`;
const statement = `SELECT * FROM (VALUES ${rows
  .map(({ integer, decimal, float, time }, at) => {
    const whole = `(${integer})::BIGINT`;
    const exact = `${literal(decimal)}::DECIMAL(38, 18)`;
    return `(${at}, ${whole}, ${exact}, ${number(float)}, make_timestamp(${time}000), [${exact}, NULL], {'i': ${whole}})`;
  })
  .join(', ')}) AS t(n, i, d, f, t, l, s) ORDER BY n`;

/** Writes the drawn rows, and reads the file. */
async function written(format: 'csv' | 'ndjson' | 'parquet' | 'arrow' | 'trino'): Promise<string> {
  const path = join(lake.folder, `equal.${format}`);
  await (await planResult(sql, statement, path, { format })).write();
  return path;
}

/** Text of a decimal as every format has it: with all places, without zeros before. */
const exactOf = (decimal: string): string => {
  const [, sign = '', whole = '', part = ''] = /^(-?)0*(\d+)\.(\d+)$/.exec(decimal) ?? [];
  const text = `${whole}.${part.padEnd(18, '0')}`;
  return /[1-9]/.test(text) ? `${sign}${text}` : text;
};
/** Reads the 128 bits of a decimal in Arrow, without its point. */
const unscaled = (words: Uint32Array): bigint =>
  BigInt.asIntN(
    128,
    words.reduceRight((sum, word) => (sum << 32n) + BigInt(word), 0n),
  );
const wordOf = (float: number): string => String(float);
const instantOf = (time: number): string => new Date(time).toISOString();

test('drawn numbers and times have equal values in CSV, NDJSON, Arrow, Parquet and the Trino protocol', async () => {
  const csv = await written('csv');
  const cells = `SELECT to_json(list([i, d, f, t, l, s] ORDER BY n::INTEGER)) FROM read_csv(${literal(csv)}, all_varchar = true)`;
  const fromCsv: string[][] = JSON.parse((await sql.text(cells)) ?? '[]');
  const lines = (await readFile(await written('ndjson'), 'utf8')).trimEnd().split('\n');
  const trino = (await readFile(await written('trino'), 'utf8')).trimEnd().split('\n');
  const arrow = tableFromIPC(await readFile(await written('arrow')));
  for (const [at, { integer, decimal, float, time }] of rows.entries()) {
    const exact = exactOf(decimal);
    const [i, d, f, t, l, s] = fromCsv[at] ?? [];
    assert.deepEqual([i, d, t], [String(integer), exact, instantOf(time)]);
    assert.ok(Object.is(Number(f), float) || Number(f) === float, `${f} for ${float}`);
    assert.deepEqual([l, s], [`[${exact},null]`, `{"i":${integer}}`]);
    // Numbers as they are written: parsed, they would lose digits.
    const text = lines[at] ?? '';
    const inText =
      /"i":(-?\d+),"d":(-?[\d.]+),"f":([^,]+),"t":"([^"]+)","l":(\[[^\]]+\]),"s":(\{[^}]+\})/.exec(text);
    const [, i2, d2, f2, t2, l2, s2] = inText ?? [];
    assert.deepEqual([i2, d2, t2, l2, s2], [i, d, t, l, s], text);
    if (Number.isFinite(float)) assert.ok(Number(f2) === float, `${f2} for ${float}`);
    else assert.equal(f2, 'null');
    const row = /^\[\d+,(-?\d+),"(-?[\d.]+)",("?[^,]+"?),"([^"]+)",\["(-?[\d.]+)",null\],\[(-?\d+)\]\]$/.exec(
      trino[at] ?? '',
    );
    const [, i3, d3, f3 = '', t3 = '', l3, s3] = row ?? [];
    assert.deepEqual([i3, d3, l3, s3], [i, d, d, i], trino[at] ?? '');
    const word = f3.replaceAll('"', '');
    assert.ok(word === wordOf(float) || Number(word) === float, `${word} for ${float}`);
    assert.equal(`${t3.replace(' ', 'T').slice(0, 23)}Z`, instantOf(time));
    const arrowOf = (name: string) => arrow.getChild(name)?.get(at);
    assert.deepEqual([arrowOf('i'), arrowOf('f'), arrowOf('t')], [integer, float, time]);
    assert.equal(unscaled(arrowOf('d')), BigInt(exact.replace('.', '')));
  }
  const parquet = await written('parquet');
  const both = [`(${statement})`, `read_parquet(${literal(parquet)})`] as const;
  for (const [one, other] of [both, both.toReversed()])
    assert.equal(await sql.text(`SELECT count(*)::VARCHAR FROM (FROM ${one} EXCEPT FROM ${other})`), '0');
});

/** Microseconds since 1970 in the years 1 to 9999. */
const instants = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n });
const typed = fc.sample(
  fc.record({
    width: fc.integer({ min: 2, max: 38 }),
    digits: digits(38),
    isNegative: fc.boolean(),
    micros: instants,
    day: fc.integer({ min: -719_162, max: 2_932_896 }),
    clock: fc.bigInt({ min: 0n, max: 86_399_999_999n }),
  }),
  { numRuns: 60, seed: 54 },
);

/** ISO 8601 of an instant, with all six digits. */
function microsecondsOf(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19);
  return `${second}.${String(rest).padStart(6, '0')}`;
}

/** Returns a decimal of a width, half of whose digits are behind the point, as the engine prints it. */
function decimalOf({
  width,
  digits: drawn,
  isNegative,
}: (typeof typed)[number]): [text: string, scale: number] {
  const scale = Math.floor(width / 2);
  const unscaled = BigInt(drawn.slice(0, width)) * (isNegative ? -1n : 1n);
  const text = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return [`${unscaled < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`, scale];
}

test('drawn decimals of every width, times, dates and timestamps with and without a zone are exact in text', async () => {
  for (const drawn of typed) {
    const { width, micros, day, clock } = drawn;
    const [decimal, scale] = decimalOf(drawn);
    const exact = `${literal(decimal)}::DECIMAL(${width}, ${scale})`;
    const at = `make_timestamp(${micros})`;
    const one = `SELECT ${exact} AS d, [${exact}] AS l, {'d': ${exact}} AS s, ${at} AS t, make_timestamptz(${micros}) AS z,
      [${at}] AS n, DATE '1970-01-01' + ${day} AS y, TIME '00:00:00' + to_microseconds(${clock}) AS c`;
    const text = microsecondsOf(micros);
    const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
    const time = new Date(Number(clock / 1000n)).toISOString().slice(11, 19);
    const part = String(clock % 1_000_000n)
      .padStart(6, '0')
      .replace(/0+$/, '');
    const full = `${time}${part && '.'}${part}`;
    const path = join(lake.folder, 'typed.text');
    for (const timestamps of ['utc', 'exact'] as const) {
      const [local, zoned] =
        timestamps === 'exact' ? [text, `${text}Z`] : [`${text.slice(0, 23)}Z`, `${text.slice(0, 23)}Z`];
      await (await planResult(sql, one, path, { format: 'ndjson', timestamps })).write();
      const [line = ''] = (await readFile(path, 'utf8')).split('\n');
      const inner = /"l":\[([^\]]+)\],"s":\{"d":([^}]+)\}/.exec(line);
      for (const nested of inner?.slice(1) ?? ['none'])
        assert.equal(canonical(nested), canonical(decimal), line);
      const plain = `,"t":"${local}","z":"${zoned}","n":["${local}"],"y":"${date}","c":"${full}"}`;
      assert.deepEqual(
        [line.startsWith(`{"d":${decimal},`), line.endsWith(plain)],
        [true, true],
        `${line} for ${plain}`,
      );
      await (await planResult(sql, one, path, { format: 'csv', timestamps })).write();
      const [, row = ''] = (await readFile(path, 'utf8')).split('\n');
      assert.equal(
        row.slice(row.indexOf(`,${local},`)),
        `,${local},${zoned},"[""${local}""]",${date},${full}`,
      );
      assert.ok(row.startsWith(`${decimal},`), row);
    }
  }
});

/** Sign, digits without zeros at their ends, and the power of ten of a number as JSON has it. */
function canonical(decimal: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(decimal) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  const kept = all.replace(/0+$/, '');
  return kept === '' ? '0' : `${sign}${kept} ${Number(power) - part.length + all.length - kept.length}`;
}
