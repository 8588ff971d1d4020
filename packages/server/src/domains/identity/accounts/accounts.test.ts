import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortName } from './accounts.ts';

test('an id keeps the letters of a name, without their marks', () => {
  for (const [name, id] of [
    ['St. Mary’s Hospital', 'st-mary-s-hospital'],
    ['Ärzte GmbH', 'arzte-gmbh'],
    ['A\u0308rzte', 'arzte'],
    ['Großstraße', 'grossstrasse'],
    ['Łódź Ørsted Æther Œuvre', 'lodz-orsted-aether-oeuvre'],
    ['İstanbul ısı', 'istanbul-isi'],
    ['Þór & ﬁnance ２', 'thor-finance-2'],
    ['--a--', 'a'],
    ['病院', ''],
    ['constructor', 'constructor'],
    ['x'.repeat(40), 'x'.repeat(28)],
    [`${'x'.repeat(27)} y`, 'x'.repeat(27)],
  ] as const)
    assert.equal(shortName(name), id, name);
});
