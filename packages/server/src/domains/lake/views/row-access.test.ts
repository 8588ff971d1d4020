import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerWith } from '../../../access/caller.fixture.ts';
import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { hasRowAccess, maskedAccess, rowAccessOf } from './row-access.ts';

const account = 'main';
const tables: ResourceAttributes = { account, type: 'table', dataset: 'project' };

const sighted = (...rights: ('readData' | 'readMaskedData')[]): Caller =>
  callerWith(account, { rules: Object.fromEntries(rights.map((name) => [name, true])) });

test('readData shows full rows, readMaskedData alone masked ones, and no right shows none', () => {
  for (const countsMin of [0, 5]) {
    const seen = (caller: Caller): unknown[] => {
      const { real, masked } = rowAccessOf(caller, tables, countsMin);
      return [real, masked];
    };
    assert.deepEqual(seen(sighted('readData')), [true, false]);
    assert.deepEqual(seen(sighted('readData', 'readMaskedData')), [true, false]);
    assert.deepEqual(seen(sighted('readMaskedData')), [false, true]);
    assert.equal(hasRowAccess(rowAccessOf(sighted(), tables, countsMin)), false);
  }
});

test('a statement accepted as masked stays masked, also if its caller may read full rows by now', () => {
  for (const caller of [sighted('readData'), sighted('readMaskedData')]) {
    assert.deepEqual(maskedAccess(caller, tables, 5), { real: false, masked: true, countsMin: 5 });
  }
  assert.equal(hasRowAccess(maskedAccess(sighted(), tables, 5)), false);
});
