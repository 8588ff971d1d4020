import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { mapped } from './mapped.fixture.ts';

function city(fields: JsonObject): unknown {
  return mapped({ resourceType: 'Patient', id: 'p', ...fields }).rows['demographic']?.[0]?.['city'];
}

const home = (name: string, start?: string, end?: string) => ({
  use: 'home',
  city: name,
  period: { ...(start && { start }), ...(end && { end }) },
});

describe('the present address follows without a clock', () => {
  const addresses = [
    home('before', '2010', '2019-12-31'),
    home('then', '2020', '2029'),
    home('after', '2030'),
  ];
  const at = (lastUpdated: string) => city({ meta: { lastUpdated }, address: addresses });

  test("the current address is that of the day of the resource's last update", () => {
    assert.equal(at('2019-12-31T23:00:00Z'), 'before');
    assert.equal(at('2020-01-01T00:00:00Z'), 'then');
    // A year includes its last day.
    assert.equal(at('2029-12-31T00:00:00Z'), 'then');
    assert.equal(at('2030-01-01T00:00:00Z'), 'after');
  });

  test('the current address of a resource without such a day is one without an end or with a placeholder', () => {
    assert.equal(city({ address: [home('past', '2010', '2025-01-01'), home('now', '2025-01-02')] }), 'now');
    assert.equal(city({ address: [home('now', '2020', '2099-12-31'), home('later', '2100-01-01')] }), 'now');
    assert.equal(
      city({ address: [{ use: 'work', city: 'work' }, home('now', '2020', '9999-12-31')] }),
      'now',
    );
  });

  test('the current address ignores text that is no date', () => {
    assert.equal(city({ address: [home('now', 'soon', 'later'), home('b', '2012', '2013')] }), 'now');
  });

  test('a patient without a current address has the first one', () => {
    assert.equal(city({ address: [home('a', '2010', '2011'), home('b', '2012', '2013')] }), 'a');
    const meta = { lastUpdated: '2000-01-01T00:00:00Z' };
    assert.equal(city({ meta, address: [home('a', '2010'), home('b', '2012')] }), 'a');
  });
});

test('an element of a list that is no object is reported; the others are used', () => {
  const { rows, unreadable } = mapped({
    resourceType: 'Patient',
    id: 'p',
    address: [null, { city: 'A' }] as never,
  });
  assert.equal(rows['demographic']?.[0]?.['city'], 'A');
  assert.deepEqual([...new Set(unreadable)], ['address[0]: an object']);
});
