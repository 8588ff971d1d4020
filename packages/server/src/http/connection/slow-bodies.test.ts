import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { sendProblem, toProblem } from '../contract/problems.ts';
import { closeSlowBodies } from './slow-bodies.ts';

let app: FastifyInstance;
let port: number;

before(async () => {
  app = fastify();
  closeSlowBodies(app, 50);
  app.addContentTypeParser('text/plain', (_request, payload, done) => done(null, payload));
  app.post('/small', async () => 'taken');
  app.post('/file', { config: { streamsBody: true } }, async ({ raw }) => {
    let size = 0;
    for await (const chunk of raw) size += chunk.length;
    return String(size);
  });
  app.post('/refused', { config: { streamsBody: true } }, async () => 'no');
  port = Number(new URL(await app.listen({ port: 0 })).port);
});
after(() => app.close());

/** Sends the beginning of a body of 10 bytes. */
function begin(path: string, type: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 10\r\n\r\n[1`);
  return socket;
}

test('a slow small body, and a slow rest of an answered one, lose their connection', async () => {
  for (const [path, type] of [
    ['/small', 'application/json'],
    ['/refused', 'text/plain'],
    ['/nowhere', 'application/json'],
  ] as const) {
    await once(begin(path, type), 'close');
  }
});

test('a file may arrive at any speed', async () => {
  const slow = begin('/file', 'text/plain');
  // The connection is older than one that was closed for slowness.
  await once(begin('/small', 'application/json'), 'close');
  slow.write('12345678');
  const [answer] = await once(slow, 'data');
  assert.match(String(answer), /^HTTP\/1.1 200 OK[\s\S]*10$/);
  slow.destroy();
});

test('an early refusal reaches a client that first sends all of a large body, also on an ending connection', async () => {
  const patient = fastify();
  closeSlowBodies(patient);
  patient.setErrorHandler((error, request, reply) => sendProblem(toProblem(error), request, reply));
  patient.post('/json', async () => 'taken');
  const { port: at } = new URL(await patient.listen({ port: 0 }));
  const body = Buffer.alloc(8_000_000, 'x');
  for (const connection of ['keep-alive', 'close']) {
    const socket = connect(Number(at), '127.0.0.1');
    const answer = once(socket, 'data');
    socket.pause();
    socket.write(`POST /json HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n`);
    socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise<void>((resolve, reject) =>
      socket.write(body, (error) => (error ? reject(error) : resolve())),
    );
    socket.resume();
    assert.match(String(await answer), /^HTTP\/1.1 413 /, connection);
    socket.destroy();
  }
  await patient.close();
});
