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

/** A server that begins one by one. */
async function listening(listener: RequestListener) {
  const server = createServer({ ServerResponse: WrittenTogether }, listener as never);
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
