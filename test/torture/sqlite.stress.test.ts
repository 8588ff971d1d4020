import { test } from 'node:test';
import { torture } from './torture.ts';

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';

test('killed at random moments while everything is done at once, it keeps what it acknowledged and leaves nothing half-done', {
  skip: linuxOnly,
}, async (context) => {
  context.diagnostic(await torture({ seed: 7, seconds: 15, store: 'sqlite' }));
});
