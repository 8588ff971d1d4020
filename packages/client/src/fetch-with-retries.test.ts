import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blobContent } from './blob.ts';
import { fetchWithRetries } from './fetch-with-retries.ts';
import { pause } from './retry.ts';
import { breakOff, json, scriptedServer, type Turn } from './scripted-server.fixture.ts';
import { uploadWhole } from './upload-parts.ts';

const busy = (seconds: string) =>
  json(503, { error: 'Later.', code: 'OVERLOADED', requestId: 'r' }, { 'retry-after': seconds });

/** Returns a clock that records the pauses and takes none. */
function noWaiting() {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  return { waits, clock: { now: () => 0, wait } };
}

test('a request is tried three times, with the pauses that the service requests', async () => {
  const { waits, clock } = noWaiting();
  await using server = await scriptedServer(busy('9'), breakOff, busy('1'));
  const request = new Request(server.address);
  await assert.rejects(fetchWithRetries(request, server.address, clock), { code: 'OVERLOADED' });
  assert.deepEqual(waits, [9000, 300]);
  assert.equal(server.seen.length, 3);
});

test('a service that requests a long pause gets no second attempt', async () => {
  const { waits, clock } = noWaiting();
  await using server = await scriptedServer(busy('11'));
  const request = new Request(server.address);
  await assert.rejects(fetchWithRetries(request, server.address, clock), { retryAfterMs: 11_000 });
  assert.deepEqual([waits, server.seen.length], [[], 1]);
});

test('an abort while the answer is awaited is not repeated and rejects with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const abort: Turn = () => controller.abort(reason);
  await using server = await scriptedServer(abort);
  for (const method of ['GET', 'DELETE']) {
    const request = new Request(server.address, { method, signal: controller.signal });
    await assert.rejects(fetchWithRetries(request, server.address), reason);
  }
  assert.equal(server.seen.length, 1, 'the second request was aborted before');
});

test('an abort ends the pause between two attempts', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const wait = (ms: number, signal?: AbortSignal) => {
    controller.abort(reason);
    return pause(ms, signal);
  };
  await using server = await scriptedServer(busy('10'));
  const request = new Request(server.address, { signal: controller.signal });
  await assert.rejects(fetchWithRetries(request, server.address, { now: () => 0, wait }), reason);
  assert.equal(server.seen.length, 1);
});

test('a file of a browser is sent again, whole, when its connection breaks', async () => {
  const bodies: string[] = [];
  const keep: Turn = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.end();
  };
  await using server = await scriptedServer(breakOff, keep);
  await uploadWhole(server.address, blobContent(new Blob(['all of it'])), {});
  assert.deepEqual(bodies, ['all of it']);
});
