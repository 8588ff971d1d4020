import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { WrittenTogether } from './written-together.ts';

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: here\r\n${more}\r\n`;

test('an answer is not written before the requests that came with it have been worked on', async () => {
  const written: number[] = [];
  const answers = await exchange(request('/1') + request('/2', 'Connection: close\r\n'), (asked, answer) => {
    written.push(asked.socket.bytesWritten);
    answer.end(`answer to ${asked.url}`);
  });
  assert.deepEqual(written, [0, 0]);
  assert.match(answers, /answer to \/1[\s\S]*answer to \/2/);
});

test('an answer that comes in a later turn is written in that turn', async () => {
  const answers = await exchange(request('/', 'Connection: close\r\n'), (_asked, answer) => {
    setTimeout(() => {
      answer.write('first ');
      setTimeout(() => answer.end('second'), 5);
    }, 5);
  });
  assert.match(answers, /first [\s\S]*second/);
});

test('an answer has ended as soon as it was told so, for whoever looks', async () => {
  const seen: boolean[] = [];
  await exchange(request('/', 'Connection: close\r\n'), (_asked, answer) => {
    seen.push(answer.writableEnded);
    answer.end();
    seen.push(answer.writableEnded);
  });
  assert.deepEqual(seen, [false, true]);
});

test('an answer that cannot be written ends its connection, and those behind it are written', async () => {
  const server = createServer({ ServerResponse: WrittenTogether }, (asked, answer) => {
    if (asked.url === '/good') {
      // In the same turn, behind the bad one.
      bad?.end(17);
      answer.end('good');
    } else bad = answer;
  });
  let bad: WrittenTogether | undefined;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const refused = received(port, request('/bad'));
    while (!bad) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.match(await received(port, request('/good', 'Connection: close\r\n')), /good$/);
    assert.equal(await refused, '');
  } finally {
    server.close();
  }
});

/** What a server whose answers are written together sends to one connection. */
async function exchange(bytes: string, listener: RequestListener): Promise<string> {
  const server = createServer({ ServerResponse: WrittenTogether }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await received((server.address() as AddressInfo).port, bytes);
  } finally {
    server.close();
  }
}

function received(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.once('error', reject).once('close', () => resolve(text));
  });
}
