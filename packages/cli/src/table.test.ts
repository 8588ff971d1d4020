import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignedTable, widthOf } from './table.ts';
import { documentText } from './visible.ts';

test('a table aligns numbers to the right and wide letters by their width, and shows NULL as nothing', () => {
  const rows = [
    ['漢字', '5'],
    ['é', '12'],
    ['x', null],
  ];
  assert.deepEqual(alignedTable(['name', 'n'], rows).split('\n'), [
    'name   n',
    '────  ──',
    '漢字   5',
    'é     12',
    'x',
  ]);
});

test('no cell and no heading can move the cursor, end a line or turn the direction', () => {
  const table = alignedTable(['a\u001b[2J'], [['x\u001b[31m\r\n'], ['\u202eabc\u2069\u061c']]);
  assert.deepEqual(table.split('\n'), ['a·[2J', '───────', 'x·[31m··', '·abc··'].with(1, '────────'));
});

test('JSON on a terminal holds no control character, and is the same document', () => {
  const value = { name: 'a\u009b31m\u007f\u0085', list: ['\u001b[2J'] };
  const text = documentText(value, 2);
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  assert.deepEqual(JSON.parse(text), value);
});

test('a long cell is cut between characters', () => {
  const [, , line = ''] = alignedTable(['n'], [['👩‍⚕️'.repeat(50)]]).split('\n');
  assert.equal(line, `${'👩‍⚕️'.repeat(29)}…`);
  assert.equal(widthOf(line), 59);
});

test('a table of very many rows is made', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [String(at)]);
  assert.equal(alignedTable(['n'], rows).split('\n').length, rows.length + 2);
});
