import { test } from 'node:test';
import { postgresSkip } from '../support/postgres.ts';
import { day } from './day.ts';

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';

test('three processes that are killed, stopped and cut off from their stores keep what they acknowledged to many people', {
  skip: linuxOnly || postgresSkip,
}, async (context) => {
  context.diagnostic(await day({ seed: 7, seconds: 60, people: 16, awayMs: 2000 }));
});
