import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { acceptUpdateMethod, updateMethod } from './update-method.ts';

/** Request that reached a handler: method, target, body. */
type Seen = [string, string, string];

let app: FastifyInstance;
let port = 0;
let seen: Seen[] = [];

before(async () => {
  app = await startServer();
  port = portOf(app);
});
after(() => app.close());

async function startServer(): Promise<FastifyInstance> {
  const app = fastify();
  app.addHttpMethod(updateMethod, { hasBody: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', updateMethod],
    url: '/*',
    handler: (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : '';
      seen.push([request.method, request.url, body]);
      reply.header('content-type', 'text/plain').send(`${request.method} ${request.url} ${body}`);
    },
  });
  acceptUpdateMethod(app.server);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

/**
 * Sends packets in sequence, each after the previous one was flushed; returns the statuses of the responses.
 */
async function exchange(packets: readonly (string | Buffer)[]): Promise<number[]> {
  seen = [];
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let answers = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    answers += part;
  });
  // A refused request ends in a reset; only earlier responses count.
  socket.on('error', () => socket.destroy());
  const closed = new Promise((done) => socket.once('close', done));
  for (const packet of packets) {
    if (socket.destroyed) break;
    await new Promise<void>((sent) => socket.write(packet, () => sent()));
    await new Promise((turn) => setImmediate(turn));
  }
  socket.end();
  await closed;
  seen.sort(([, a], [, b]) => (a < b ? -1 : 1));
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

function crlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

const curlIsAbsent = spawnSync('curl', ['--version']).error ? 'curl is not installed' : false;
const trap = 'UPDATE / HTTP/1.1';
const six = crlf(
  `UPDATE /1 HTTP/1.1\nHost: a\nContent-Length: 17\n\n${trap}` +
    'GET /2 HTTP/1.1\nHost: a\nX: UPDATE /\n\n' +
    `POST /3 HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n11;a="b"\n${trap}\n5\nUNBIN\n0\nX: y\nUPDATE: z\n\n` +
    '\n\nUPDATE /4 HTTP/1.1\nHost: a\nContent-Length: 0\n\n' +
    `UPDATE /5 HTTP/1.1\nHost: a\ntransfer-encoding: gzip, Chunked\n\n1\nU\n10\n${trap.slice(1)}\n000\n\n` +
    'UPDATE /6?UPDATE%20/ HTTP/1.1\nHost: a\nConnection: close\n\n',
);
const sixSeen: Seen[] = [
  ['UNBIND', '/1', trap],
  ['GET', '/2', ''],
  ['POST', '/3', `${trap}UNBIN`],
  ['UNBIND', '/4', ''],
  ['UNBIND', '/5', trap],
  ['UNBIND', '/6?UPDATE%20/', ''],
];

test('six pipelined requests in one packet, with bodies that look like requests, arrive unchanged', async () => {
  assert.deepEqual(await exchange([six]), [200, 200, 200, 200, 200, 200]);
  assert.deepEqual(seen, sixSeen);
});

test('pipelined requests arrive one byte a packet', async () => {
  await exchange([...six]);
  assert.deepEqual(seen, sixSeen);
});

test('pipelined requests arrive split at every position', async () => {
  for (let at = 1; at < six.length; at++) {
    await exchange([six.slice(0, at), six.slice(at)]);
    assert.deepEqual(seen, sixSeen, `split at ${at}`);
  }
});

test('curl -X UPDATE works, with a body and over a kept connection', { skip: curlIsAbsent }, async () => {
  const url = `http://127.0.0.1:${port}/ehrs`;
  const request = ['-s', '-X', 'UPDATE', '-d', '{"name":"x"}', '-w', ' %{http_code} %{num_connects}\n'];
  const child = spawn('curl', [...request, `${url}/1`, '--next', ...request, `${url}/2`]);
  const output = await text(child.stdout);
  assert.equal(output, 'UNBIND /ehrs/1 {"name":"x"} 200 1\nUNBIND /ehrs/2 {"name":"x"} 200 0\n');
});

test('ordinary methods and their bodies are untouched', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const answer = await fetch(`http://127.0.0.1:${port}/x`, {
      method,
      ...(method === 'GET' ? {} : { body: trap }),
    });
    assert.equal(await answer.text(), `${method} /x ${method === 'GET' ? '' : trap}`);
  }
});

test('methods that are nearly UPDATE, and a real UNBIND, are refused', async () => {
  const wrong = [
    'UPDATEX',
    'UPDAT',
    'UPDATE\t',
    'update',
    'Update',
    'UPLOCK',
    'UPLINK',
    'UPSUBSCRIBE',
    'UP',
    'U',
  ];
  const unbind = ['UNBIND', 'UNB', 'UNBINDX', 'UPBIND', 'UNDATE', 'UNBATE', 'U!BIND', 'UP!'];
  for (const method of [...wrong, ...unbind]) {
    const request = `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`;
    for (const packets of [[request], [...request], [request.slice(0, 2), request.slice(2)]]) {
      assert.deepEqual(await exchange(packets), [400], `${method} in ${packets.length} packets`);
      assert.deepEqual(seen, []);
    }
  }
});

test('other methods with the same prefix are unchanged', async () => {
  for (const method of ['UNLOCK', 'UNLINK', 'UNSUBSCRIBE']) {
    assert.deepEqual(await exchange([`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`]), [404], method);
  }
});

// asvs: 4.2.1
test('ambiguous or broken framing is refused, and nothing after it is served', async () => {
  const behind = '\nUPDATE /behind HTTP/1.1\nHost: a\n\n';
  const framings = [
    'Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n',
    'Transfer-Encoding: chunked\nContent-Length: 3\n\n0\n',
    'Content-Length: 0\nContent-Length: 0\n',
    'Content-Length: -1\n',
    'Content-Length: 0x10\n',
    'Content-Length: 99999999999999999999999\n',
    'Content-Length:\n 0\n',
    'Content-Length : 0\n',
    'Transfer-Encoding: chunked, gzip\n',
    'Transfer-Encoding: xchunked\n',
    'Transfer-Encoding:\n chunked\n\n0\n',
    'X: a\n b\n',
  ];
  for (const framing of framings) {
    const packet = crlf(`UPDATE /first HTTP/1.1\nHost: a\n${framing}${behind}`);
    const statuses = await exchange([packet]);
    assert.ok(statuses.includes(400), `${framing} gave ${statuses}`);
    assert.ok(!seen.some(([, url]) => url === '/behind'), framing);
  }
  assert.deepEqual(await exchange(['UPDATE /first HTTP/1.1\nHost: a\n\n']), [400]);
});

test('huge headers and garbage end the connection only', async () => {
  const huge = `UPDATE / HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(100_000)}\r\n\r\n`;
  assert.deepEqual(await exchange([huge]), [431]);
  assert.deepEqual(
    await exchange([`UPDATE / HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(20_000)}\r\n`]),
    [431],
  );
  const garbage = [
    randomBytes(4096),
    Buffer.alloc(4096),
    Buffer.from('\r\n'.repeat(3000)),
    Buffer.from([0x16, 3, 1]),
  ];
  for (const bytes of garbage) await exchange([bytes]);
  assert.deepEqual(await exchange([six]), [200, 200, 200, 200, 200, 200]);
});

test('a request for an unsupported protocol keeps its connection served', async () => {
  const first =
    'GET /1 HTTP/1.1\nHost: a\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABk\n\n';
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1');
  seen = [];
  socket.write(crlf(first));
  const [answer] = (await once(socket, 'data')) as [string];
  assert.match(answer, /^HTTP\/1\.1 200/);
  socket.write(crlf('UPDATE /2 HTTP/1.1\nHost: a\nConnection: close\n\n'));
  await once(socket, 'close');
  assert.deepEqual(
    seen.map(([method, url]) => [method, url]),
    [
      ['GET', '/1'],
      ['UNBIND', '/2'],
    ],
  );
});

test('after an upgrade the bytes of the other protocol pass unchanged', async () => {
  const other = createServer();
  acceptUpdateMethod(other);
  other.on('upgrade', (_request, socket, head: Buffer) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.write(head);
    socket.pipe(socket);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const socket = connect({ port: (other.address() as AddressInfo).port, host: '127.0.0.1' });
  const answer = text(socket);
  const sent = `${trap}\r\nUNBIND / x\r\n\r\nUPDATE `;
  socket.write(crlf(`UPDATE / HTTP/1.1\nHost: a\nConnection: upgrade\nUpgrade: echo\n\n`) + sent);
  socket.end(`\r\n\r\n${sent}`);
  assert.ok((await answer).endsWith(`${sent}\r\n\r\n${sent}`));
  other.close();
});
