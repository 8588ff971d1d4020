import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressUses } from './address-uses.ts';
import type { AuditEvent } from './audit.ts';

const by = { userId: 'u', via: 'apiKey:k' };
const file = (id: string) => ({ type: 'file', account: 'one', dataset: 'p', id }) as const;

test('the first use of a credential on a resource is an event, and the number of the others another', async () => {
  const written: AuditEvent[] = [];
  const uses = new AddressUses({ record: async (event) => void written.push(event) });
  const use = (id: string, via = by.via, at = 0) =>
    uses.record({ by: { ...by, via }, action: 'htsget.blocks', resource: file(id), requestId: `r${at}` });
  for (let at = 0; at < 10_000; at++) await use('f', by.via, at);
  await use('g');
  await use('f', 'session:s');
  const event = { account: 'one', userId: 'u', via: 'signature', action: 'htsget.blocks', outcome: 'done' };
  const credential = 'apiKey:k';
  assert.deepEqual(written, [
    { ...event, resource: file('f'), details: { credential }, requestId: 'r0' },
    { ...event, resource: file('g'), details: { credential }, requestId: 'r0' },
    { ...event, resource: file('f'), details: { credential: 'session:s' }, requestId: 'r0' },
  ]);
  await uses.flush();
  assert.deepEqual(written.slice(3), [
    { ...event, resource: file('f'), details: { credential, further: 9_999 } },
  ]);
  await uses.flush();
  assert.equal(written.length, 4);
  await use('f');
  assert.equal(written.length, 5);
});

test('the counts of a minute are written when it is over', async (context) => {
  const written: AuditEvent[] = [];
  const uses = new AddressUses({ record: async (event) => void written.push(event) });
  const use = () => uses.record({ by, action: 'lake.readObject', resource: file('f'), requestId: 'r' });
  await use();
  await use();
  await uses.flushDue();
  assert.equal(written.length, 1);
  const now = performance.now();
  context.mock.method(performance, 'now', () => now + 60_000);
  await uses.flushDue();
  assert.deepEqual(written.at(-1)?.details, { credential: 'apiKey:k', further: 1 });
});
