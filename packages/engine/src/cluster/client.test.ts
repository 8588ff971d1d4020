import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EngineError } from '../engine.ts';
import { runRemotely, TrinoRefused } from './client.ts';

const elsewhere = 'http://elsewhere.example';

/** Cluster that answers with these texts, one after the other; `requests` are those it got. */
async function clusterOf(context: TestContext, answers: readonly string[]) {
  const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const server = createServer((request, response) => {
    request.resume();
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const answer = answers[requests.length - 1];
    // The last page is awaited.
    if (request.method === 'DELETE' || answer !== undefined) response.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'trino-client-'));
  context.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const pagesPath = join(folder, 'pages');
  const address = {
    url: new URL(`http://127.0.0.1:${port}`),
    catalog: 'lake',
    user: 'ploidy',
    password: 'p',
  };
  const statement = {
    sql: 'SELECT 1',
    name: 'q-1',
    token: 't',
    runTimeMaxMs: 1500,
    rowCount: 8,
    bytesMax: 1000,
  };
  const progress: (number | undefined)[] = [];
  const run = (signal = new AbortController().signal, more = {}) =>
    runRemotely(address, { ...statement, ...more }, pagesPath, signal, ({ fraction }) =>
      progress.push(fraction),
    );
  return { requests, run, progress, pages: () => readFileSync(pagesPath, 'utf8') };
}

const page = (next: string | undefined, more: string): string =>
  `{"id":"1",${next === undefined ? '' : `"nextUri":"${elsewhere}${next}",`}${more}"stats":{"progressPercentage":25,"processedRows":4}}`;

test('pages are kept as they arrive, with every digit', async (context) => {
  const rows = '[[9007199254740993,"]],\\"stats\\":"],[null,"é"]]';
  const cluster = await clusterOf(context, [
    page('/v1/1', ''),
    page('/v1/2', `"data":${rows},`),
    page(undefined, ''),
  ]);
  const { pageBytesMax } = await cluster.run();
  assert.equal(cluster.pages(), `{"data":${rows}}\n`);
  assert.equal(pageBytesMax, Buffer.byteLength(cluster.pages()));
  assert.deepEqual(cluster.progress, [0.5, 0.5, 0.5]);
});

test('each request has the token and user of the query, and goes to the cluster of the setting', async (context) => {
  const cluster = await clusterOf(context, [page('/v1/1?a=b', ''), page(undefined, '')]);
  await cluster.run();
  assert.deepEqual(
    cluster.requests.map(({ method, url }) => `${method} ${url}`),
    ['POST /v1/statement', 'GET /v1/1?a=b'],
  );
  for (const { headers } of cluster.requests) {
    assert.equal(headers['x-trino-user'], 'q-1');
    assert.equal(headers['x-trino-extra-credential'], 'token=t');
    assert.equal(headers.authorization, `Basic ${Buffer.from('ploidy:p').toString('base64')}`);
  }
  assert.equal(cluster.requests[0]?.headers['x-trino-session'], 'query_max_run_time=2s');
});

// asvs: 15.3.2
test('a redirect of the cluster is not followed, so that no other host gets the token', async (context) => {
  let followed = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/other') followed += 1;
    response.writeHead(307, { location: '/other' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const address = {
    url: new URL(`http://127.0.0.1:${port}`),
    catalog: 'lake',
    user: 'ploidy',
    password: 'p',
  };
  const statement = {
    sql: 'SELECT 1',
    name: 'q-1',
    token: 't',
    runTimeMaxMs: 1500,
    rowCount: 8,
    bytesMax: 1000,
  };
  const folder = mkdtempSync(join(tmpdir(), 'trino-client-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const { signal } = new AbortController();
  await assert.rejects(
    runRemotely(address, statement, join(folder, 'pages'), signal, () => undefined),
    (error) => error instanceof EngineError && error.code === 'WORKER_LOST',
  );
  assert.equal(followed, 0);
});

test('an abort cancels the statement in the cluster', async (context) => {
  const cluster = await clusterOf(context, [page('/v1/1', '')]);
  const abort = new AbortController();
  const done = cluster.run(abort.signal);
  while (cluster.requests.length < 2) await new Promise(setImmediate);
  abort.abort(new Error('cancelled by the test'));
  await assert.rejects(done, /cancelled by the test/);
  const last = cluster.requests.at(-1);
  assert.equal(`${last?.method} ${last?.url}`, 'DELETE /v1/1');
});

test('a result beyond the limit ends the statement', async (context) => {
  const cluster = await clusterOf(context, [page('/v1/1', '"data":[["long"]],')]);
  await assert.rejects(cluster.run(undefined, { bytesMax: 5 }), { code: 'RESULT_SIZE' });
  assert.equal(cluster.requests.at(-1)?.method, 'DELETE');
});

/** Errors of the cluster by name and type, with the code of the failure. */
const failures = [
  ['TYPE_MISMATCH', 'USER_ERROR', undefined],
  ['DIVISION_BY_ZERO', 'USER_ERROR', undefined],
  ['GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR', undefined],
  ['EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES', 'TIME'],
  ['EXCEEDED_LOCAL_MEMORY_LIMIT', 'INSUFFICIENT_RESOURCES', 'MEMORY'],
  ['CLUSTER_OUT_OF_MEMORY', 'INSUFFICIENT_RESOURCES', 'MEMORY'],
  ['NO_NODES_AVAILABLE', 'INTERNAL_ERROR', 'WORKER_LOST'],
  ['ICEBERG_CATALOG_ERROR', 'EXTERNAL', 'WORKER_LOST'],
] as const;

test('a statement that the cluster does not understand is refused, and other errors have a code', async (context) => {
  for (const [errorName, errorType, code] of failures) {
    const error = JSON.stringify({ message: 'line 1:8: wrong', errorName, errorType });
    const cluster = await clusterOf(context, [page(undefined, `"error":${error},`)]);
    await assert.rejects(
      cluster.run(),
      (thrown) => {
        if (code === undefined) return thrown instanceof TrinoRefused;
        return thrown instanceof EngineError && thrown.code === code;
      },
      errorName,
    );
  }
});

test('a cluster that cannot be reached is lost', async (context) => {
  const cluster = await clusterOf(context, []);
  const url = new URL('http://127.0.0.1:1');
  const statement = { sql: '', name: '', token: '', runTimeMaxMs: 1, rowCount: 0, bytesMax: 1 };
  const address = { url, catalog: 'lake', user: '', password: '' };
  const run = runRemotely(address, statement, 'none', new AbortController().signal);
  await assert.rejects(run, { code: 'WORKER_LOST' });
  assert.deepEqual(cluster.requests, []);
});
