import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../../test/support/until.ts';
import { spareUnsentAnswers } from './unsent-answers.ts';
import { WrittenTogether } from './written-together.ts';

test('a stop does not cut off an answer that its client is still reading, and ends the connection after it', async () => {
  const size = 64 << 20;
  let ended = false;
  const server = createServer({ ServerResponse: WrittenTogether }, (_asked, answer) => {
    answer.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size));
    setImmediate(() => setImmediate(() => (ended = true)));
  });
  spareUnsentAnswers(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  socket.pause();
  await until(() => ended, 'the answer has ended');
  const closed = once(server.close(), 'close');
  server.closeIdleConnections();
  let received = 0;
  socket.on('data', (part: Buffer) => {
    received += part.length;
  });
  socket.resume();
  const idle = setInterval(() => server.closeIdleConnections(), 5);
  await Promise.all([once(socket, 'close'), closed]);
  clearInterval(idle);
  assert.ok(received > size, `${received} of ${size} bytes`);
});
