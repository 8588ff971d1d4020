import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Problem } from '../../base/problem.ts';
import { type ProbeDeps, Probes } from './probes.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const metrics = { text: async () => ({ contentType: 'text/plain', body: 'ploidy_build_info 1\n' }) };

async function opened(
  context: TestContext,
  silenceMaxMs: number,
  ready: ProbeDeps['ready'] = async () => undefined,
): Promise<string> {
  const probes = await Probes.open({ host: '127.0.0.1', port: 0, silenceMaxMs }, { ready, metrics, log });
  context.after(() => probes.close());
  return `http://127.0.0.1:${probes.port}`;
}

/** Asks in a thread until an answer has a status, while this thread, the main one, does nothing else. */
function askWhileBlocked(url: string, wanted: number): { status: number; age: string; text: string } {
  const shared = new SharedArrayBuffer(64 * 1024);
  const source = `
    const { workerData: { url, wanted, shared } } = require('node:worker_threads');
    (async () => {
      for (;;) {
        const response = await fetch(url);
        const text = await response.text();
        if (response.status !== wanted) continue;
        const answer = { status: response.status, age: response.headers.get('age') ?? '', text };
        const bytes = new TextEncoder().encode(JSON.stringify(answer));
        new Uint8Array(shared, 4).set(bytes);
        const length = new Int32Array(shared, 0, 1);
        Atomics.store(length, 0, bytes.length);
        return Atomics.notify(length, 0);
      }
    })();`;
  const asking = new Worker(source, { eval: true, execArgv: [], workerData: { url, wanted, shared } });
  const length = new Int32Array(shared, 0, 1);
  Atomics.wait(length, 0, 0, 60_000);
  void asking.terminate();
  assert.ok(length[0], `${url} did not answer ${wanted} while the main thread was busy`);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(shared, 4).slice(0, length[0])));
}

test('a process whose main thread is blocked is alive, ready as it was last, and has metrics', async (context) => {
  const address = await opened(context, 60_000);
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await fetch(address + path)).status, 200, path);
  assert.match(askWhileBlocked(`${address}/healthz`, 200).text, /"status":"ok"/);
  const ready = askWhileBlocked(`${address}/readyz`, 200);
  assert.ok(Number(ready.age) > 0, 'the age of the answer is said');
  const { text } = askWhileBlocked(`${address}/metrics`, 200);
  assert.match(text, /^ploidy_build_info 1$/m);
  assert.match(text, /^ploidy_metrics_age_seconds [1-9]/m);
  assert.match(text, /^ploidy_main_thread_silence_seconds \d/m);
});

test('a main thread that is silent for longer than the limit is dead, and not ready', async (context) => {
  const address = await opened(context, 500);
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
  assert.match(askWhileBlocked(`${address}/healthz`, 503).text, /"status":"silent"/);
  assert.equal(askWhileBlocked(`${address}/readyz`, 503).status, 503);
});

test('readiness is that of the main thread, with its reason', async (context) => {
  let isReady = false;
  const address = await opened(context, 60_000, async () => {
    if (!isReady) throw new Problem(503, 'NOT_READY', 'The service is not ready: blobs does not answer.');
  });
  const away = await fetch(`${address}/readyz`);
  assert.equal(away.status, 503);
  assert.match(await away.text(), /blobs does not answer/);
  isReady = true;
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
});

test('metrics that cannot be read are an error of the scrape, and no text of metrics', async (context) => {
  const broken = { text: () => Promise.reject(new Problem(503, 'NOT_READY', 'The records are away.')) };
  const deps = { ready: async () => undefined, metrics: broken, log };
  const probes = await Probes.open({ host: '127.0.0.1', port: 0, silenceMaxMs: 60_000 }, deps);
  context.after(() => probes.close());
  const reply = await fetch(`http://127.0.0.1:${probes.port}/metrics`);
  assert.deepEqual(
    [reply.status, await reply.json()],
    [503, { error: 'The records are away.', code: 'NOT_READY' }],
  );
});

test('nothing else is answered at the port, and a taken port is an error', async (context) => {
  const address = await opened(context, 60_000);
  assert.equal((await fetch(`${address}/v1/version`)).status, 404);
  const port = Number(new URL(address).port);
  const second = Probes.open(
    { host: '127.0.0.1', port, silenceMaxMs: 1000 },
    { ready: async () => undefined, metrics, log },
  );
  await assert.rejects(second, { code: 'EADDRINUSE' });
});
