import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerWith } from '../../access/caller.fixture.ts';
import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { maskedSight, seesRows, sightOf } from './sight.ts';

const account = 'main';
const tables: ResourceAttributes = { account, type: 'table', dataset: 'project' };

const sighted = (...rights: ('readData' | 'readMaskedData')[]): Caller =>
  callerWith(account, { rules: Object.fromEntries(rights.map((name) => [name, true])) });

test('real values are seen with readData, masked ones with readMaskedData alone, nothing without either', () => {
  for (const countsMin of [0, 5]) {
    const seen = (caller: Caller): unknown[] => {
      const { real, masked } = sightOf(caller, tables, countsMin);
      return [real, masked];
    };
    assert.deepEqual(seen(sighted('readData')), [true, false]);
    assert.deepEqual(seen(sighted('readData', 'readMaskedData')), [true, false]);
    assert.deepEqual(seen(sighted('readMaskedData')), [false, true]);
    assert.equal(seesRows(sightOf(sighted(), tables, countsMin)), false);
  }
});

test('a statement that was accepted masked stays so, and whoever may read real values by now still gets its answer', () => {
  for (const caller of [sighted('readData'), sighted('readMaskedData')]) {
    assert.deepEqual(maskedSight(caller, tables, 5), { real: false, masked: true, countsMin: 5 });
  }
  assert.equal(seesRows(maskedSight(sighted(), tables, 5)), false);
});
