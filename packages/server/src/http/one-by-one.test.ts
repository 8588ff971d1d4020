import assert from 'node:assert/strict';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../../test/support/until.ts';
import { beginOneByOne } from './one-by-one.ts';
import { WrittenTogether } from './written-together.ts';

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: here\r\n${more}\r\n`;

test('of requests that come at once the next one begins when the one before it has been answered, in their order', async () => {
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

test('a client that reads no answers does not have them heaped up, however many requests it sends', async () => {
  let begun = 0;
  const server = await listening((_asked, answer) => {
    begun++;
    answer.end(Buffer.alloc(32 << 20));
  });
  const socket = server.open(request('/').repeat(50));
  socket.pause();
  await until(() => begun > 0, 'the first has begun');
  // Another connection is served meanwhile, and takes more turns than the others would have needed to begin.
  await server.received(request('/', 'Connection: close\r\n'));
  assert.equal(begun, 2);
  socket.destroy();
  server.close();
});

test('what was sent behind a request whose answer ends the connection is never begun', async () => {
  const begun: string[] = [];
  const server = await listening((asked, answer) => {
    begun.push(asked.url ?? '');
    answer.setHeader('connection', 'close').end('last');
  });
  assert.match(await server.received(request('/1') + request('/2')), /last$/);
  assert.deepEqual(begun, ['/1']);
  server.close();
});

test('what waits behind a request is never begun when its client has gone', async () => {
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

test('a client that sends hundreds of requests ahead of their answers loses its connection', async () => {
  const server = await listening(() => undefined);
  assert.equal(await server.received(request('/').repeat(300)), '');
  server.close();
});

test('a client that sends more bytes ahead than a body may have loses its connection, however few its requests are', async () => {
  const begun: string[] = [];
  const server = await listening((asked) => void begun.push(asked.url ?? ''));
  const body = 'x'.repeat(60_000);
  const posts = `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(40);
  assert.equal(await server.received(request('/1') + posts), '');
  assert.deepEqual(begun, ['/1']);
  server.close();
});

test('bodies that are sent ahead arrive whole, however many bytes come in all, if their answers are read', async () => {
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

test('a request that expects what is not there waits as the others do', async () => {
  const begun: string[] = [];
  const listener: RequestListener = (asked, answer) => {
    begun.push(asked.url ?? '');
    answer.setHeader('connection', 'close').end('last');
  };
  const server = await listening(listener, listener);
  const expecting = request('/2', 'Expect: something\r\n');
  assert.match(await server.received(request('/1') + expecting), /last$/);
  assert.deepEqual(begun, ['/1']);
  assert.match(await server.received(expecting), /last$/);
  server.close();
});

/** A server that begins one by one. */
async function listening(listener: RequestListener, expectations?: RequestListener) {
  const server = createServer({ ServerResponse: WrittenTogether }, listener as never);
  if (expectations) server.on('checkExpectation', expectations as never);
  beginOneByOne(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open = (bytes: string): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    return socket.on('error', () => undefined);
  };
  return {
    close: () => server.closeAllConnections() ?? server.close(),
    open,
    /** What is sent to a connection until it ends. */
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
