/** Values that a writer notes while it writes a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParquetFile } from './parquet-file.ts';
import { type Row, TableGroup } from './table-group.ts';

const columns = [
  { name: 'name', type: 'string' },
  { name: 'at', type: 'int' },
] as const;

/** Writes rows as one row group each. */
function valuesOf(...groups: Row[][]) {
  const file = new ParquetFile(columns, (bytes) => bytes);
  const group = new TableGroup(columns, []);
  file.begin();
  for (const rows of groups) {
    for (const row of rows) group.add(row);
    file.group(group.sorted().columns);
    group.clear();
  }
  return { texts: file.values.textsOf('name'), range: file.values.rangeOf('at'), rows: file.rowCount };
}

test('texts and ranges are those of all row groups, NULL aside', () => {
  const groups = [[{ name: 'b', at: 7 }, { name: 'ä' }], [{ at: -3 }], [{ name: 'b', at: 5 }]];
  assert.deepEqual(valuesOf(...groups), { texts: ['b', 'ä'], range: { from: -3, to: 7 }, rows: 4 });
});

test('a column without values has no texts and no range', () => {
  assert.deepEqual(valuesOf([{}]), { texts: [], range: undefined, rows: 1 });
});

test('the texts of a column with many are unknown, also where later row groups have few', () => {
  const many = (count: number): Row[] => Array.from({ length: count }, (_, at) => ({ name: `name ${at}` }));
  assert.equal(valuesOf(many(256)).texts?.length, 256);
  assert.equal(valuesOf(many(257), [{ name: 'one' }]).texts, undefined);
  assert.equal(valuesOf(many(5000), many(1)).texts, undefined);
});
