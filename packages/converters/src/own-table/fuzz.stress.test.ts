import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generator, mutatedText } from '../../../../test/support/mutations.ts';
import { convertContent, lines } from './conversion.fixture.ts';

const rounds = 60;

/** Values by the type of a column of them; every one is text elsewhere. */
const values: Readonly<Record<string, readonly string[]>> = {
  int: ['0', '7', '-12', '999999999999999'],
  float: ['0.5', '-1.25', '.5', '1e3', '2.50'],
  boolean: ['true', 'FALSE', 'True'],
  date: ['2020-02-29', '1969-12-31', '2021-01-01'],
  string: ['007', '+1', '2021-02-29', '1,5', '1e400', '0x1F', '12345678901234567', 'yes', '1 2', 'é', '−1'],
};
const absent = ['', 'NA', 'NaN', 'null', '.'];

/** Returns the type of a column by the definition in docs/formats/tables.md, implemented a second time. */
function typeOf(cells: readonly string[]): string {
  const kinds = new Set(
    cells
      .filter((cell) => !absent.includes(cell))
      .map((cell) => Object.keys(values).find((type) => values[type]?.includes(cell))),
  );
  const is = (...types: string[]): boolean =>
    kinds.size > 0 && [...kinds].every((kind) => types.includes(String(kind)));
  if (is('int')) return 'int';
  if (is('int', 'float')) return 'float';
  if (is('boolean')) return 'boolean';
  return is('date') ? 'date' : 'string';
}

test('columns of random values have the type that all of them fit, and lose no value', async () => {
  const random = generator(37);
  const one = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  for (let round = 0; round < rounds; round += 1) {
    const columns = Array.from({ length: 5 }, () => {
      const types = Array.from({ length: 1 + random(2) }, () => one(Object.keys(values)));
      return Array.from({ length: 12 }, () =>
        random(5) === 0 ? one(absent) : one(values[one(types)] ?? []),
      );
    });
    const quoted = (text: string): string => (text.includes(',') ? `"${text}"` : text);
    const content = lines(
      'key,a,b,c,d,e',
      ...Array.from({ length: 12 }, (_, row) =>
        [`k${row}`, ...columns.map((cells) => quoted(cells[row] ?? ''))].join(','),
      ),
    );
    const converted = await convertContent(content);
    const found = converted.columns.slice(1).map((column) => column.split(':')[1]);
    assert.deepEqual(found, columns.map(typeOf), content);
    for (const [row, line] of converted.rows.entries()) {
      const cells = line.split('|').slice(1);
      for (const [at, cell] of cells.entries()) {
        const sent = columns[at]?.[row] ?? '';
        const type: string = found[at] ?? '';
        if (sent === '' || (type !== 'string' && absent.includes(sent))) assert.equal(cell, '-');
        else if (type === 'int' || type === 'float') assert.equal(Number(cell), Number(sent));
        else assert.equal(cell, type === 'boolean' ? sent.toLowerCase() : sent);
      }
    }
  }
});

test('a mutated file ends in rows or an InputError, nothing else', async () => {
  const random = generator(38);
  const texts = [
    lines(
      '#a\tb',
      '#c\td',
      '#STRING\tNUMBER',
      '#1\t1',
      'PATIENT_ID\tN',
      ...Array.from({ length: 40 }, (_, at) => `P${at}\t${at}`),
    ),
    lines(
      'patient_id,day,"a, b"',
      ...Array.from({ length: 40 }, (_, at) => `P${at},2020-01-0${1 + (at % 9)},"x, ""y"""`),
    ),
    lines(
      ...Array.from({ length: 40 }, (_, at) =>
        JSON.stringify({ patient_id: `P${at}`, n: at / 3, list: [at] }),
      ),
    ),
  ];
  let converted = 0;
  for (let round = 0; round < rounds * 2; round += 1) {
    const source = mutatedText(Buffer.from(texts[round % texts.length] ?? ''), random);
    try {
      const { table, rows } = await convertContent(
        source,
        {},
        { onError: round % 2 === 0 ? 'skip' : 'fail' },
      );
      assert.equal(table.rows, rows.length);
      converted += 1;
    } catch (error) {
      assert.ok(
        error instanceof Error && error.name === 'InputError',
        error instanceof Error ? String(error.stack) : '',
      );
    }
  }
  assert.ok(converted > rounds / 4, `${converted} were converted`);
});
