import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalTables, tables } from '@ploidy/formats';
import { Masks } from './masks.ts';
import { SeenTables } from './seen-tables.ts';
import type { LocatedSegment } from './segment-rows.ts';
import { type Sight, wholeSight } from './sight.ts';
import { tablesBehind, viewsOf } from './views.ts';

const names = [...tables.keys(), ...internalTables.keys()];
const internal = ['_resource', '_medication', '_sample_link', '_annotation', '_unknown'];
const segments = [1, 2].flatMap((round) =>
  [...names, ...internal].map(
    (table): LocatedSegment => ({
      table,
      path: `${table}-${round}`,
      ingestionId: '',
      ordinal: round,
      blob: { key: `${table}-${round}`, size: 1, sha256: '' },
      rowCount: 1,
      fileRows: null,
      genomeBuild: null,
    }),
  ),
);
const subject: Sight['real'] = [[{ comparison: 'equals', value: 'p1' }]];
const sights: Sight[] = [
  wholeSight('real'),
  wholeSight('masked'),
  { real: false, masked: true, countsMin: 5 },
  { real: subject, masked: true, countsMin: 0 },
];

test('what a relation is made of are segments of the tables that are said to be behind it, and of no others', () => {
  for (const sight of sights) {
    const seen = sight.real === true ? undefined : new SeenTables(sight, new Masks(new Uint8Array(32), 'p'));
    for (const name of names) {
      const behind = tablesBehind([name], seen !== undefined);
      const few = segments.filter(({ table }) => behind.includes(table));
      assert.deepEqual(viewsOf([name], few, seen), viewsOf([name], segments, seen), name);
      assert.ok(few.length < segments.length / 2);
    }
  }
});
