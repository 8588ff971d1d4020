import { test } from 'node:test';
import { postgresSkip } from '../support/postgres.ts';
import { torture } from './torture.ts';

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';

test('killed at random moments while everything is done at once, it keeps on PostgreSQL what it acknowledged and leaves nothing half-done', {
  skip: linuxOnly || postgresSkip,
}, async (context) => {
  context.diagnostic(await torture({ seed: 7, seconds: 15, store: 'postgres' }));
});
