import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attribute } from '../../study/study.ts';
import { endpointsOf, readEndpoint, readTimes, ticksUpTo } from './endpoints.ts';
import { attributesIn, drawn, readGroups } from './groups.ts';

const attribute = (id: string, type: Attribute['type']): Attribute => ({
  ...{ id, type, name: id, level: 'patient', priority: 1, share: 1, origin: 'study' },
});

test('endpoints are pairs of status and time, overall survival first, then death after a diagnosis', () => {
  const attributes = [
    attribute('PFS_STATUS', 'string'),
    attribute('PFS_DAYS', 'number'),
    attribute('OS_MONTHS', 'number'),
    attribute('OS_STATUS', 'string'),
    attribute('SMOKING_STATUS', 'string'),
  ];
  const found = endpointsOf(attributes, ['condition', 'demographic']);
  assert.deepEqual(
    found.map(({ id, unit }) => [id, unit]),
    [
      ['OS_STATUS', 'months'],
      ['PFS_STATUS', 'days'],
      ['death', 'years'],
    ],
  );
  assert.deepEqual(endpointsOf([], []), []);
});

test('addresses that were cut off or changed by hand have no groups, endpoints or times of their own', () => {
  assert.deepEqual(readGroups('[{"name":"a","is":{"and":[]}},{"name":"b"},3'), []);
  assert.deepEqual(readGroups('[{"name":"a","is":{"and":[]}},{"name":"b"},3]'), [
    { name: 'a', is: { and: [] } },
  ]);
  assert.equal(readEndpoint('{"time":"A"}'), undefined);
  assert.deepEqual(readEndpoint('{"time":"A","status":"B","events":["1"]}'), {
    time: 'A',
    status: 'B',
    events: ['1'],
  });
  assert.deepEqual(readTimes('12, x,-3,24'), [12, 24]);
});

test('ticks are round and reach the last time', () => {
  assert.deepEqual(ticksUpTo(35), [0, 5, 10, 15, 20, 25, 30, 35]);
  assert.deepEqual(ticksUpTo(0.6), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
  assert.deepEqual(ticksUpTo(0), [0]);
  for (let last = 0.01; last < 5000; last *= 1.7)
    assert.ok(ticksUpTo(last).length <= 8 && ticksUpTo(last).length > 2);
});

test('groups of one name have numbers, and attributes of their filters are found in any depth', () => {
  const is = { and: [{ not: { attribute: 'SEX', in: ['M'] } }] };
  assert.deepEqual(
    drawn([
      { name: 'a', is },
      { name: 'a', is: { or: [] } },
    ]).map(({ name }) => name),
    ['a (1)', 'a (2)'],
  );
  assert.deepEqual([...attributesIn([{ name: 'a', is }])], ['SEX']);
});
