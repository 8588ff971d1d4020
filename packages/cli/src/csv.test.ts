import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from './csv.ts';
import { alignedTable } from './table.ts';

test('CSV is read with quotes, commas and line ends inside fields', () => {
  assert.deepEqual(parseCsv('a,b\n1,"x ""y"", z"\n,"line\nend"\n'), [
    ['a', 'b'],
    ['1', 'x "y", z'],
    ['', 'line\nend'],
  ]);
  assert.deepEqual(parseCsv('a\n1\n2\n3\n', 2), [['a'], ['1']]);
  assert.deepEqual(parseCsv('a,b'), [['a', 'b']]);
  assert.deepEqual(parseCsv(''), []);
});

test('a table aligns numbers to the right and wide letters by their width, and shows no control character', () => {
  const table = alignedTable(
    ['name', 'n'],
    [
      ['漢字', '5'],
      ['é\u001b[31m', '12'],
      ['x', ''],
    ],
  );
  assert.deepEqual(table.split('\n'), ['name     n', '──────  ──', '漢字     5', 'é·[31m  12', 'x']);
});
