import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as ask, get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { limitConnections } from './connections.ts';
import { type Listening, listen } from './listening.ts';

const host = '127.0.0.1';
/** Of a socket 32: connections are spread by chance, and with 4 each of 128 meets a full socket in one run of fourteen. */
const backlog = 4096;

async function started(
  context: TestContext,
  prepare: (app: FastifyInstance) => void = () => undefined,
): Promise<{ app: FastifyInstance; port: number; listening: Listening; stop: () => Promise<void> }> {
  const app = fastify({ forceCloseConnections: 'idle' });
  app.get('/', async () => 'here');
  prepare(app);
  const listening = await listen(app, { host, port: 0, backlog });
  const stop = async (): Promise<void> => {
    await Promise.all([app.close(), listening.close()]);
  };
  context.after(stop);
  return { app, port: (app.server.address() as AddressInfo).port, listening, stop };
}

const answered = async (port: number, agent?: Agent): Promise<number | undefined> => {
  const request = get({ host, port, ...(agent && { agent }) });
  const [response] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
};

/** Opens connections while this thread stands still, so that all of them wait. */
function connectWhileBlocked(port: number, count: number): Worker {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { connect } = require('node:net');
     const { workerData: { port, count, signal } } = require('node:worker_threads');
     let left = count;
     const tell = (state) => { Atomics.store(signal, 0, state); Atomics.notify(signal, 0); };
     for (let i = 0; i < count; i++) connect(port, '${host}').on('error', () => { if (left > 0) tell(2); })
       .once('connect', () => {
         left -= 1;
         if (left === 0) tell(1);
       });`,
    { eval: true, workerData: { port, count, signal } },
  );
  assert.notEqual(Atomics.wait(signal, 0, 0, 120_000), 'timed-out');
  assert.equal(signal[0], 1, 'each connection is made');
  return worker;
}

test('many new connections are taken in one turn of the event loop', {
  skip: process.platform !== 'linux' && 'several sockets share a port on Linux only',
}, async (context) => {
  const { app, port } = await started(context);
  const count = 128;
  let taken = 0;
  app.server.on('connection', () => {
    taken += 1;
  });
  const worker = connectWhileBlocked(port, count);
  let turns = 0;
  for (; taken < count && turns < 10 * count; turns += 1) await turn();
  await worker.terminate();
  assert.equal(taken, count);
  assert.ok(turns < count / 2, `${count} connections took ${turns} turns`);
});

test('through whichever socket they come, requests are answered, and connections kept', async (context) => {
  const { app, port } = await started(context);
  let connections = 0;
  app.server.on('connection', () => {
    connections += 1;
  });
  const agents = Array.from({ length: 40 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (let round = 0; round < 3; round += 1)
    assert.deepEqual(
      new Set(await Promise.all(agents.map((agent) => answered(port, agent)))),
      new Set([200]),
    );
  assert.equal(connections, agents.length);
  for (const agent of agents) agent.destroy();
});

test('no more than so many connections are kept, those beyond are counted and told, and those that end make room', async (context) => {
  const told: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (details: object) => told.push(details),
  };
  const registry = new Registry();
  const { port } = await started(context, (app) => limitConnections(app.server, 20, { log, registry }));
  const sockets = Array.from({ length: 30 }, () => connect(port, host).on('error', () => undefined));
  const closed = sockets.map((socket) => once(socket, 'close').then(() => socket));
  const refused = new Set<unknown>();
  for (const one of closed) void one.then((socket) => refused.add(socket));
  while (refused.size < 10) await turn();
  assert.match(await registry.metrics(), /^ploidy_http_connections_refused_total 10$/m);
  assert.deepEqual(told, [{ connectionsMax: 20, times: 1 }]);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  for (;;) if ((await answered(port).catch(() => 0)) === 200) return;
});

test('a stop answers what is under way on each socket, and then nobody listens', async (context) => {
  const ends: (() => void)[] = [];
  const { port, stop } = await started(context, (app) => {
    app.get('/slow', async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return 'slow';
    });
  });
  const replies = Array.from({ length: 24 }, async () => {
    const request = ask({ host, port, path: '/slow', agent: false }).end();
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode;
  });
  while (ends.length < replies.length) await turn();
  const stopped = stop();
  for (const end of ends) end();
  assert.deepEqual(new Set(await Promise.all(replies)), new Set([200]));
  await stopped;
  await assert.rejects(answered(port), { code: 'ECONNREFUSED' });
});

test('a port that another service has is refused', async (context) => {
  const { port } = await started(context);
  const second = fastify();
  context.after(() => second.close());
  await assert.rejects(listen(second, { host, port, backlog }), { code: 'EADDRINUSE' });
});

test('of several services that want one port at once, one gets it', async (context) => {
  const free = createServer().listen(0, host);
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const services = Array.from({ length: 5 }, () => fastify());
  const outcomes = await Promise.allSettled(services.map((app) => listen(app, { host, port, backlog })));
  context.after(async () => {
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.close();
    await Promise.all(services.map((app) => app.close()));
  });
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(refused.length, services.length - 1);
  for (const { reason } of refused) assert.equal(reason.code, 'EADDRINUSE');
});

test('a name for several addresses is listened on at each of them', async (context) => {
  const app = fastify();
  app.get('/', async () => 'here');
  const listening = await listen(app, { host: 'localhost', port: 0, backlog });
  context.after(() => Promise.all([app.close(), listening.close()]));
  for (const bound of app.addresses()) {
    const { address, port } = bound as AddressInfo;
    const request = get({ host: address, port, agent: false });
    const [response] = await once(request, 'response');
    response.resume();
    assert.equal(response.statusCode, 200);
  }
});
