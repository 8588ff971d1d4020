import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvText } from './csv.ts';

test('no text begins a formula in a spreadsheet, and numbers stay numbers', () => {
  const start = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠');
  const rest = fc.string({ unit: fc.constantFrom('1', '.', '-', '+', 'e', '|', '!', 'A', '"', ',') });
  fc.assert(
    fc.property(start, rest, (sign, text) => {
      const [cell = ''] = csvText([[sign + text]]).split('\r\n');
      const isNumber = sign === '-' && Number.isFinite(Number(sign + text));
      assert.match(cell, isNumber ? /^-[\d.]/ : /^"?'/);
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.equal(csvText([[value]]), `${value}\r\n`);
    }),
  );
});
