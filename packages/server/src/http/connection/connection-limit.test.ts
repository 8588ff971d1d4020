import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { until } from '../../../../../test/support/until.ts';
import { limitConnections, sharedAddresses } from './connection-limit.ts';

test('connections beyond the limit are dropped, counted and logged, and closed ones make room', async (context) => {
  const logged: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (details: object) => logged.push(details),
  };
  const registry = new Registry();
  const server = createServer((_request, response) => response.end('here'));
  limitConnections(server, 20, { log, registry, isShared: () => true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  server.on('request', () => undefined);
  const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  const dropped = new Set<unknown>();
  const closed = sockets.map(async (socket) => {
    await once(socket, 'close');
    dropped.add(socket);
  });
  await until(() => dropped.size >= 10, 'ten are dropped');
  assert.match(await registry.metrics(), /^ploidy_http_connections_refused_total 10$/m);
  assert.deepEqual(logged, [{ connectionsMax: 20, times: 1 }]);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  const isServed = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}`).then(
      (response) => response.ok,
      () => false,
    );
  await until(isServed, 'there is room again');
});

test('silent connections give way to new ones, and one address has only its share', async (context) => {
  const log = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const opened = async (isShared: boolean): Promise<number> => {
    const server = createServer((_request, response) => response.end('here'));
    limitConnections(server, 200, { log, registry: new Registry(), isShared: () => isShared });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    context.after(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const shared = await opened(true);
  const silent = Array.from({ length: 250 }, () => connect(shared, '127.0.0.1').on('error', () => undefined));
  context.after(() => {
    for (const socket of silent) socket.destroy();
  });
  await until(() => silent.filter((socket) => socket.closed).length >= 50, 'the oldest have given way');
  assert.equal((await fetch(`http://127.0.0.1:${shared}`)).status, 200);

  const own = await opened(false);
  const many = Array.from({ length: 30 }, () => connect(own, '127.0.0.1').on('error', () => undefined));
  await until(() => many.filter((socket) => socket.closed).length >= 10, 'ten of thirty are refused');
  await assert.rejects(fetch(`http://127.0.0.1:${own}`));
  for (const socket of many) socket.destroy();
});

test('addresses of this machine and of trusted proxies are shared', () => {
  const isShared = sharedAddresses(['10.0.0.0/8', '2001:db8::1']);
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '2001:db8::1', ''])
    assert.equal(isShared(address), true, address);
  for (const address of ['192.168.0.1', '11.0.0.1', '2001:db8::2', '::ffff:8.8.8.8'])
    assert.equal(isShared(address), false, address);
});
