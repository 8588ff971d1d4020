import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answer, type Wait } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { SyncRecord } from './sync.ts';
import { type SyncRouteDeps, syncRoutes } from './sync-routes.ts';

const nothing = { since: null, started_at: null, ended_at: null, error: null, file_id: null };
const row = { ...nothing, counts: '{}', warnings: '[]', created_at: 0 } as SyncRecord;

/** Returns the status for a sync in this state at the first check. */
async function statusOf(
  model: string,
  state: SyncRecord['state'],
  wait: Wait = (held) => held(AbortSignal.timeout(30_000)),
): Promise<number> {
  const sync = { ...row, state } as SyncRecord;
  const syncs = {
    create: async () => sync,
    find: async () => ({ ...sync, state: 'succeeded' }),
    waiting: async () => new Map(),
  };
  const [begin] = syncRoutes({ syncs } as unknown as SyncRouteDeps);
  const request = { resource: { ingestion_model: model }, body: { datasetId: 'project' }, wait };
  const answer = await begin?.handle(request as never);
  assert.ok(answer instanceof Answer);
  return answer.status;
}

test('ASYNCHRONOUS is 202, also if the sync has ended before the response', async () => {
  assert.equal(await statusOf('ASYNCHRONOUS', 'queued'), 202);
  assert.equal(await statusOf('ASYNCHRONOUS', 'failed'), 202);
});

test('SYNCHRONOUS is 200 for a sync that has ended, at once or during the wait', async () => {
  assert.equal(await statusOf('SYNCHRONOUS', 'queued'), 200);
  assert.equal(await statusOf('SYNCHRONOUS', 'failed'), 200);
});

test('SYNCHRONOUS is 202 where too many requests are held: the sync runs all the same', async () => {
  const refused = () => Promise.reject(new Problem(429, 'TOO_MANY_REQUESTS', 'Too many wait.'));
  assert.equal(await statusOf('SYNCHRONOUS', 'queued', refused), 202);
});
