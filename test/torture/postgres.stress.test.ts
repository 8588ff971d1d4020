import { test } from 'node:test';
import { postgresSkip } from '../support/postgres.ts';
import { torture } from './torture.ts';

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';

test('a service on PostgreSQL, killed at random moments of all work, keeps acknowledged changes and leaves nothing half-done', {
  skip: linuxOnly || postgresSkip,
}, async (context) => {
  context.diagnostic(await torture({ seed: 7, seconds: 15, store: 'postgres' }));
});
