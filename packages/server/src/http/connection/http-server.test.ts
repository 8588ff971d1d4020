import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../../../test/support/until.ts';
import { createHttpServer } from './http-server.ts';

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: here\r\n${more}\r\n`;

test('pipelined requests run one at a time, in order', async () => {
  const begun: string[] = [];
  let atOnce = 0;
  const server = await listening((asked, answer) => {
    begun.push(asked.url ?? '');
    atOnce++;
    assert.equal(atOnce, 1);
    setImmediate(() => {
      atOnce--;
      answer.end(`answer to ${asked.url}`);
    });
  });
  const text = await server.received(request('/1') + request('/2') + request('/3', 'Connection: close\r\n'));
  assert.deepEqual(begun, ['/1', '/2', '/3']);
  assert.match(text, /answer to \/1[\s\S]*answer to \/2[\s\S]*answer to \/3$/);
  server.close();
});

test('responses of pipelined requests do not fill the memory when the client reads none', async () => {
  let begun = 0;
  const server = await listening((_asked, answer) => {
    begun++;
    answer.end(Buffer.alloc(32 << 20));
  });
  const socket = server.open(request('/').repeat(15));
  socket.pause();
  await until(() => begun > 0, 'the first has begun');
  // Serving another connection takes more ticks than starting the waiting requests would.
  await server.received(request('/', 'Connection: close\r\n'));
  assert.equal(begun, 2);
  socket.destroy();
  server.close();
});

test('a request behind a response that ends the connection never starts', async () => {
  const begun: string[] = [];
  const server = await listening((asked, answer) => {
    begun.push(asked.url ?? '');
    answer.setHeader('connection', 'close').end('last');
  });
  assert.match(await server.received(request('/1') + request('/2')), /last$/);
  assert.deepEqual(begun, ['/1']);
  server.close();
});

test('a waiting request never starts after its client disconnected', async () => {
  const begun: string[] = [];
  let first: ServerResponse | undefined;
  const server = await listening((asked, answer) => {
    begun.push(asked.url ?? '');
    first = answer;
  });
  const socket = server.open(request('/1') + request('/2'));
  await until(() => first !== undefined, 'the first has begun');
  socket.destroy();
  await until(() => first?.destroyed === true, 'the service knows');
  first?.end();
  await server.received(
    request('/3'),
    (s) => void until(() => begun.length > 1, 'another').then(() => s.destroy()),
  );
  assert.deepEqual(begun, ['/1', '/3']);
  server.close();
});

test('a client that pipelines more than 16 requests loses its connection, and no further one starts', async () => {
  let begun = 0;
  const server = await listening(() => void begun++);
  assert.equal(await server.received(request('/').repeat(17)), '');
  assert.equal(begun, 1);
  server.close();
});

test('a client that pipelines bodies without reading responses loses its connection', async () => {
  const begun: string[] = [];
  const server = await listening((asked) => void begun.push(asked.url ?? ''));
  const body = 'x'.repeat(60_000);
  const posts = `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(40);
  assert.equal(await server.received(request('/1') + posts), '');
  assert.deepEqual(begun, ['/1']);
  server.close();
});

test('any number of pipelined bodies arrive whole while the responses are read', async () => {
  let bytes = 0;
  const server = await listening((asked, answer) => {
    asked.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    asked.once('end', () => answer.end('taken'));
  });
  const body = 'x'.repeat(30_000);
  const post = (more = '') =>
    `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
  let sent = 10;
  const text = await server.received(post().repeat(sent), (socket) => {
    socket.on('data', () => {
      if (sent < 100) socket.write(post(++sent === 100 ? 'Connection: close\r\n' : ''));
    });
  });
  assert.equal(bytes, 100 * body.length);
  assert.equal(text.match(/taken/g)?.length, 100);
  server.close();
});

test('a request with an unknown expectation waits for the previous request', async () => {
  const begun: string[] = [];
  const server = await listening((asked, answer) => {
    begun.push(asked.url ?? '');
    answer.setHeader('connection', 'close').end('last');
  });
  const expecting = request('/2', 'Expect: something\r\nConnection: close\r\n');
  assert.match(await server.received(request('/1') + expecting), /last$/);
  assert.deepEqual(begun, ['/1']);
  assert.match(await server.received(expecting), /^HTTP\/1\.1 417 .*"EXPECTATION_FAILED"/s);
  server.close();
});

test('a close waits until a slow client has read its response, and then ends the connection', async () => {
  const size = 64 << 20;
  let ended = false;
  const server = await listening((_asked, answer) => {
    answer.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size), () => undefined);
    ended = true;
  });
  const socket = server.open(request('/'));
  socket.pause();
  await until(() => ended, 'the response has ended');
  const closed = server.drain(60_000).then(() => once(server.server.close(), 'close'));
  let received = 0;
  socket.on('data', (part: Buffer) => {
    received += part.length;
  });
  socket.resume();
  await Promise.all([once(socket, 'close'), closed]);
  assert.ok(received > size, `${received} of ${size} bytes`);
});

test('a close does not wait for a response whose connection has ended', async () => {
  let begun = false;
  const server = await listening(() => {
    begun = true;
  });
  const socket = server.open(request('/'));
  await until(() => begun, 'the request has begun');
  const drained = server.drain(60_000);
  socket.destroy();
  await drained;
  server.close();
});

test('a close cuts the connections that are still open at its limit', async () => {
  let begun = 0;
  const server = await listening(() => {
    begun += 1;
  });
  const busy = server.open(request('/'));
  const idle = server.open('');
  const closed = [once(busy, 'close'), once(idle, 'close')];
  await until(() => begun === 1, 'the request has begun');
  await server.drain(0);
  server.server.close();
  await Promise.all(closed);
});

/** Starts a server on a free port. */
async function listening(listener: RequestListener) {
  const { server, drain } = createHttpServer(listener, {
    requestTimeoutMs: 60_000,
    keepAliveTimeoutMs: 65_000,
    path: '',
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open = (bytes: string): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    return socket.on('error', () => undefined);
  };
  return {
    server,
    drain,
    close: () => server.closeAllConnections() ?? server.close(),
    open,
    /** Resolves with all bytes that a connection receives until it ends. */
    received: (bytes: string, opened?: (socket: Socket) => void): Promise<string> =>
      new Promise((resolve) => {
        let text = '';
        const socket = open(bytes).setEncoding('latin1');
        socket.on('data', (part: string) => {
          text += part;
        });
        socket.once('close', () => resolve(text));
        opened?.(socket);
      }),
  };
}
