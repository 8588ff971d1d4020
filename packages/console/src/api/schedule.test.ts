import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWords } from './schedule.ts';

for (const [cron, words] of [
  ['0 * * * *', 'Every hour'],
  ['15 * * * *', 'At minute 15 of every hour'],
  ['*/10 * * * *', 'Every 10 minutes'],
  ['0 */6 * * *', 'At minute 0, every 6 hours (UTC)'],
  ['5 3 * * *', 'Every day at 03:05 UTC'],
  ['0 2 * * 0', 'On Sunday at 02:00 UTC'],
  ['0 2 * * mon-fri', 'On Monday to Friday at 02:00 UTC'],
  ['0 2 1,15 * *', 'On day 1 and 15 of the month at 02:00 UTC'],
  ['0 2 1 * 7', 'On day 1 of the month or on Sunday at 02:00 UTC'],
  ['30 22 * 1,JUL *', 'Every day at 22:30 UTC, in January and July'],
  ['0,30 8-17 * * 1-5', 'At minute 0 and 30, in hour 8 to 17 (UTC), on Monday to Friday'],
] as const)
  test(`the schedule ${cron} is in words: ${words}`, () => assert.equal(inWords(cron), words));
