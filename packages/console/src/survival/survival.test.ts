import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Followed, kaplanMeier, logRank } from './survival.ts';

/** Weeks of remission in acute leukaemia (Freireich 1963); `+` marks a censored time. */
const read = (text: string): Followed[] =>
  text.split(' ').map((one) => ({ time: Number.parseInt(one, 10), isEvent: !one.endsWith('+') }));
const treated = read('6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+');
const placebo = read('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23');

test('the survival curve of the remission trial has the published shares', () => {
  const shares = kaplanMeier(treated)
    .filter(({ events }) => events > 0)
    .map(({ time, share }) => `${time}: ${share.toFixed(3)}`);
  assert.deepEqual(shares, [
    '6: 0.857',
    '7: 0.807',
    '10: 0.753',
    '13: 0.690',
    '16: 0.627',
    '22: 0.538',
    '23: 0.448',
  ]);
});

test('the log-rank test of the remission trial has the published p-value', () => {
  // χ² = 16.79 with one degree of freedom.
  assert.equal(logRank(treated, placebo)?.toFixed(6), '0.000042');
});

test('the log-rank test without any event has no p-value', () => {
  assert.equal(logRank(read('5+ 7+'), read('6+')), undefined);
});

test('the survival curve without subjects is a single step of no subjects', () => {
  assert.deepEqual(kaplanMeier([]), [{ time: 0, share: 1, atRisk: 0, events: 0, censored: 0 }]);
});
