import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { describeApp, type TestApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

interface Asked {
  method?: string;
  path: string;
  body?: unknown;
  headers?: string[];
}

type Connection = 'close' | 'keep-alive';

/** Sends requests at once, each on its own connection; returns the responses in order. */
async function together(
  app: TestApp,
  requests: Asked[],
  connection: Connection = 'close',
): Promise<string[]> {
  const { hostname, port } = new URL(app.address);
  const { server } = app.app.server;
  let taken = 0;
  const take = (): void => {
    taken += 1;
  };
  server.on('connection', take);
  const sockets = await Promise.all(
    requests.map(async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  // The client may see a connection before the server has accepted it.
  await until(async () => taken >= sockets.length, 'every connection is taken');
  server.off('connection', take);
  for (const [at, socket] of sockets.entries()) socket.write(bytesOf(app, requests[at] as Asked, connection));
  return Promise.all(
    sockets.map(async (socket) => {
      let text = '';
      for await (const chunk of socket) {
        text += chunk;
        if (/\r\nConnection: keep-alive\r\n/.test(text)) break;
      }
      return text;
    }),
  );
}

function bytesOf(
  app: TestApp,
  { method = 'GET', path, body, headers = [] }: Asked,
  connection: Connection,
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: ${app.key}`,
    `Service-Account: ${app.account}`,
    ...(text === '' ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
    `Connection: ${connection}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

const statusOf = (head: string): number => Number(head.slice(9, 12));

const rejectedInIn = (heads: string[]): number =>
  heads.filter((head) => head.includes('"code":"OVERLOADED"')).length;

/** Counts the 503 responses, each of which has `Retry-After`. */
function rejectedIn(heads: string[]): number {
  const refused = heads.filter((head) => statusOf(head) === 503);
  for (const head of refused) {
    assert.match(head, /\r\nretry-after: 1\r\n/);
    assert.match(head, /\r\nx-request-id: /);
    assert.match(head, /\r\nx-content-type-options: nosniff\r\n/);
    assert.match(head, /"code":"OVERLOADED"/);
  }
  return refused.length;
}

async function counted(app: TestApp, reason: string): Promise<number> {
  const { text } = await app.call('GET', '/metrics');
  const line = new RegExp(`^ploidy_http_requests_rejected_total{reason="${reason}"} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

/** Counts the 503 responses of all routes. */
async function answered503(app: TestApp): Promise<number> {
  const { text } = await app.call('GET', '/metrics');
  const lines = text.matchAll(/^ploidy_http_request\w*_count\{[^}]*status="503"[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

describeApp(
  'more requests than a turn can do',
  (app) => {
    let project: string;
    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Load' } })).body.id;
    });
    const many = (path: string): Asked[] => Array.from({ length: 300 }, () => ({ path }));

    // asvs: 2.4.1
    test('every request is answered, those beyond the limit with 503 and Retry-After', async () => {
      const heads = await together(app, many(`/v1/projects/${project}`));
      assert.equal(heads.length, 300);
      const refused = rejectedIn(heads);
      assert.equal(heads.filter((head) => statusOf(head) === 200).length, 300 - refused);
      assert.ok(refused > 0 && refused < 300, `${refused} refused`);
      assert.ok((await counted(app, 'delay')) >= refused);
    });

    test('the next request after an overload succeeds', async () => {
      await together(app, many(`/v1/projects/${project}`));
      assert.equal((await app.call('GET', `/v1/projects/${project}`)).status, 200);
    });

    test('health, readiness, metrics and cancels are never rejected', async () => {
      const spared: Asked[] = [
        { path: '/healthz' },
        { path: '/readyz' },
        { path: '/metrics' },
        ...['/v1/analytics/data-lake/query/none', '/v1/ingestions/none'].map((path) => ({
          method: 'DELETE',
          path,
        })),
      ];
      const heads = await together(app, [...many(`/v1/projects/${project}`), ...spared]);
      assert.ok(rejectedIn(heads.slice(0, -spared.length)) > 0);
      const answers = heads.slice(-spared.length);
      assert.equal(rejectedInIn(answers), 0);
      // The readiness of the engine depends on the load of the machine.
      const [alive, , counts, ...cancelled] = answers.map(statusOf);
      assert.deepEqual([alive, counts, ...cancelled], [200, 200, 404, 404]);
    });

    test('a rejected request of a protocol keeps its own error format', async () => {
      const ticket = `/${app.account}/v1/htsget/reads/none`;
      const heads = await together(app, [
        ...many(`/v1/projects/${project}`),
        ...many(ticket),
        { path: ticket },
      ]);
      const refused = heads.slice(300).filter((head) => statusOf(head) === 503);
      assert.ok(refused.length > 0);
      for (const head of refused) {
        assert.match(head, /\r\nretry-after: 1\r\n/);
        assert.match(head, /"htsget":\{"error":"ServiceUnavailable"/);
      }
    });

    test('a rejected request is counted in the metrics', async () => {
      const before = await answered503(app);
      const refused = rejectedIn(await together(app, many(`/v1/projects/${project}`)));
      assert.equal((await answered503(app)) - before, refused);
    });

    test('a rejected request ends its connection', async () => {
      const heads = await together(app, many(`/v1/projects/${project}`), 'keep-alive');
      assert.ok(rejectedIn(heads) > 0);
      for (const head of heads)
        assert.match(
          head,
          statusOf(head) === 503 ? /\r\nconnection: close\r\n/ : /\r\nConnection: keep-alive\r\n/,
        );
    });

    test('an anonymous request is rejected too, without revealing what exists', async () => {
      const { body } = await app.call('GET', '/v1/projects', { key: undefined });
      assert.equal(body.code, 'UNAUTHENTICATED');
      const known = await together({ ...app, key: 'none' }, many(`/v1/projects/${project}`));
      assert.deepEqual([...new Set(known.map(statusOf))].sort(), [401, 503]);
    });

    test('a page of an allowed origin can read a rejection, and its preflights are answered; others read nothing', async () => {
      const path = `/v1/projects/${project}`;
      const from = (origin: string): string[] => [`Origin: ${origin}`];
      const pages = Array.from({ length: 100 }, () => ({ path, headers: from('https://app.example.org') }));
      const foreign = Array.from({ length: 100 }, () => ({ path, headers: from('https://app.example.com') }));
      const preflight = {
        method: 'OPTIONS',
        path,
        headers: [...from('https://app.example.org'), 'Access-Control-Request-Method: GET'],
      };
      const heads = await together(app, [...many(path), ...pages, ...foreign, preflight]);
      const refusedPages = heads.slice(300, 400).filter((head) => statusOf(head) === 503);
      const refusedForeign = heads.slice(400, 500).filter((head) => statusOf(head) === 503);
      assert.ok(refusedPages.length > 0 && refusedForeign.length > 0);
      for (const head of refusedPages) {
        assert.match(head, /\r\naccess-control-allow-origin: https:\/\/app\.example\.org\r\n/);
        assert.match(head, /\r\naccess-control-expose-headers: [^\r]*Retry-After/);
        assert.match(head, /\r\nvary: Origin\r\n/i);
      }
      for (const head of refusedForeign) assert.doesNotMatch(head, /access-control-/);
      assert.equal(statusOf(heads[500] ?? ''), 204);
    });
  },
  { PLOIDY_ALLOWED_ORIGINS: 'https://app.example.org' },
  { overloadDelayMs: 0 },
);

describeApp(
  'more requests than are worked on at once',
  (app) => {
    test('requests beyond the limit get 503 without effect, and can be sent again', async () => {
      const names = Array.from({ length: 20 }, (_, number) => `p${number}`);
      const posts = names.map((name) => ({ method: 'POST', path: '/v1/projects', body: { name } }));
      const heads = await together(app, posts);
      const refused = names.filter((_, at) => statusOf(heads[at] ?? '') === 503);
      assert.equal(rejectedIn(heads), refused.length);
      assert.ok(refused.length > 0 && refused.length < 20, `${refused.length} refused`);
      assert.equal(await counted(app, 'number'), refused.length);
      for (const name of refused) {
        assert.equal((await app.call('POST', '/v1/projects', { body: { name } })).status, 200);
      }
    });

    test('an upload that stalls takes no place of other requests', async () => {
      const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Stalled' } })).body;
      const file = { datasetId: id, name: 'slow.txt' };
      const { uploadUrl } = (await app.call('POST', '/v1/files', { body: file })).body;
      const { hostname, port, pathname, search } = new URL(uploadUrl, app.address);
      const socket = connect(Number(port), hostname);
      try {
        const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n`;
        socket.write(`${head}Expect: 100-continue\r\n\r\n`);
        assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 100/);
        socket.write('half');
        for (let count = 0; count < 5; count += 1)
          assert.equal((await app.call('GET', '/v1/projects')).status, 200);
        socket.write(' whole');
        assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200/);
      } finally {
        socket.destroy();
      }
    });
  },
  {},
  { requestsMax: 1 },
);
