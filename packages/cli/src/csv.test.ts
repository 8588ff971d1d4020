import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cell, CsvReader } from './csv.ts';

/** Reads a text in pieces of these lengths, again and again. */
function read(text: string, lengths = [text.length + 1]): Cell[][] {
  const reader = new CsvReader();
  const rows: Cell[][] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    rows.push(...reader.push(text.slice(at, at + length)));
    at += length;
  }
  return [...rows, ...reader.end()];
}

test('CSV is read with quotes, commas and line ends inside fields', () => {
  assert.deepEqual(read('a,b\n1,"x ""y"", z"\n,"line\nend"\n'), [
    ['a', 'b'],
    ['1', 'x "y", z'],
    [null, 'line\nend'],
  ]);
  assert.deepEqual(read('a,b'), [['a', 'b']]);
  assert.deepEqual(read(''), []);
});

test('NULL and the empty text stay apart', () => {
  assert.deepEqual(read('a,b\n,""\n"",\n'), [
    ['a', 'b'],
    [null, ''],
    ['', null],
  ]);
  assert.deepEqual(read('a\n\n""\n'), [['a'], [null], ['']]);
  assert.deepEqual(read('a\n""'), [['a'], ['']]);
});

test('written CSV is read again, wherever the pieces end', () => {
  const cell = fc.option(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é', '漢') }));
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));
  const written = (value: Cell): string => (value === null ? '' : `"${value.replaceAll('"', '""')}"`);
  fc.assert(
    fc.property(table, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (rows, lengths) => {
      const text = rows.map((row) => `${row.map(written).join(',')}\n`).join('');
      assert.deepEqual(read(text, lengths), rows);
    }),
  );
});
