import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables } from '@ploidy/formats';
import type { LocatedFile } from '../catalogue/segment-rows.ts';
import { Masks } from './masks.ts';
import { fullAccess, type RowAccess } from './row-access.ts';
import { tablesBehind, viewsOf } from './views.ts';
import { VisibleTables } from './visible-tables.ts';

const names = [...tables.keys()];
const internal = [
  '_resource',
  '_revision',
  '_newer',
  '_medication',
  '_sample_link',
  '_sample_patient',
  '_annotation',
  '_unknown',
];
const segments = [1, 2].flatMap((round) =>
  [...names, ...internal].map(
    (table): LocatedFile => ({
      table,
      path: `${table}-${round}`,
      ingestionId: '',
      ordinal: round,
      blob: { key: `${table}-${round}`, size: 1, sha256: '' },
      rowCount: 1,
      fileRows: null,
      segments: 1,
      recordedAt: 0,
      ordinals: null,
      merged: false,
      genomeBuild: null,
      source: '',
      ownColumns: null,
    }),
  ),
);
const subject: RowAccess['real'] = [[{ comparison: 'equals', value: 'p1' }]];
const sights: RowAccess[] = [
  fullAccess('real'),
  fullAccess('masked'),
  { real: false, masked: true, countsMin: 5 },
  { real: subject, masked: true, countsMin: 0 },
];

test('relations read only the segments of the tables declared for them', () => {
  for (const access of sights) {
    const seen =
      access.real === true ? undefined : new VisibleTables(access, new Masks(new Uint8Array(32), 'p'));
    for (const name of names) {
      const behind = tablesBehind([name], seen !== undefined);
      const few = segments.filter(({ table }) => behind.includes(table));
      assert.deepEqual(viewsOf([name], few, seen), viewsOf([name], segments, seen), name);
      assert.ok(few.length < segments.length / 2);
    }
  }
});
