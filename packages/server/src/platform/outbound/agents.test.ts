import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { outboundAgents } from './open.ts';

test('connections to a name with a private address are refused, unless private hosts are allowed', async (context) => {
  const server = http.createServer((_request, response) => response.end('inside')).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outcome = (allowPrivateHosts: boolean): Promise<string> => {
    const { http: agent } = outboundAgents({ allowPrivateHosts });
    context.after(() => agent.destroy());
    return new Promise((resolve) => {
      const request = http.get({ host: 'localhost', port, agent }, (answer) => {
        answer.resume();
        resolve(String(answer.statusCode));
      });
      request.on('error', ({ message }) => resolve(message));
    });
  };
  context.after(() => void server.close());
  assert.match(await outcome(false), /private network/);
  assert.equal(await outcome(true), '200');
});
