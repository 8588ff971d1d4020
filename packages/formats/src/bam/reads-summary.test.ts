import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTimeOf } from './reads-summary.ts';

test('a time is written in UTC with milliseconds', () => {
  for (const [text, time] of [
    ['2012-01-31T12:30:05Z', '2012-01-31T12:30:05.000Z'],
    ['2012-01-31T12:30:05+0100', '2012-01-31T11:30:05.000Z'],
    ['2012-01-31T23:30:05.25-05:30', '2012-02-01T05:00:05.250Z'],
    ['20120131T1230z', '2012-01-31T12:30:00.000Z'],
    ['2012-01-31T12:30:05,1239+02', '2012-01-31T10:30:05.123Z'],
  ] as const)
    assert.equal(runTimeOf(text), time, text);
});

test('a text that is no time is kept unchanged', () => {
  for (const text of [
    '2012-01-31',
    '2012',
    '2012-01-31T12:30:05',
    '2012-02-30T12:30:05Z',
    '2012-13-01T00:00:00Z',
    '2012-01-31T25:00:00Z',
    'in spring',
    '',
  ])
    assert.equal(runTimeOf(text), text);
});
