import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notFound } from '../../base/problem.ts';
import type { AuditEvent } from '../../domains/audit/index.ts';
import { Refusals } from './refusals.ts';

const eventOf = (account: string, userId: string): Omit<AuditEvent, 'outcome'> => ({
  account,
  userId,
  via: 'apiKey:k',
  action: 'files.read',
  resource: { type: 'file', id: 'f' },
});

// asvs: 16.3.3
test('sixty refusals are recorded for each caller and account; beyond them only their number', async () => {
  const written: AuditEvent[] = [];
  const refusals = new Refusals({ record: async (event) => void written.push(event) });
  for (let at = 0; at < 75; at++) await refusals.record(eventOf('one', 'u'));
  await refusals.record(eventOf('two', 'u'));
  await refusals.record(eventOf('one', 'v'));
  assert.equal(written.length, 62);
  assert.ok(written.every(({ action, outcome }) => action === 'files.read' && outcome === 'refused'));
  await refusals.flush();
  assert.deepEqual(written.slice(62), [
    {
      account: 'one',
      userId: 'u',
      via: 'apiKey:k',
      action: 'refusals',
      resource: { type: 'account', id: 'one' },
      outcome: 'refused',
      details: { notWritten: 15 },
    },
  ]);
  await refusals.flush();
  assert.equal(written.length, 63);
  await refusals.record(eventOf('one', 'u'));
  assert.equal(written.length, 64);
});

test('a removed account does not block others, and unwritten counts are written later', async () => {
  const written: AuditEvent[] = [];
  let broken: Error | undefined;
  const record = async (event: AuditEvent): Promise<void> => {
    if (event.action === 'refusals' && event.account === 'gone') throw notFound();
    if (event.action === 'refusals' && broken) throw broken;
    written.push(event);
  };
  const refusals = new Refusals({ record });
  for (let at = 0; at < 61; at++) await refusals.record(eventOf('gone', 'u'));
  for (let at = 0; at < 63; at++) await refusals.record(eventOf('one', 'u'));
  broken = new Error('unavailable');
  await assert.rejects(refusals.flush(), /unavailable/);
  broken = undefined;
  await refusals.flush();
  assert.deepEqual(written.at(-1)?.details, { notWritten: 3 });
  assert.equal(written.length, 121);
});
