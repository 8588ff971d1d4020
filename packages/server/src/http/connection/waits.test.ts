import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { describeApp, type TestApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';
import { Problem } from '../../base/problem.ts';
import { Waits } from './waits.ts';

/** Asks over connections that stay open, from an address of this computer; answers the status. */
type Ask = (localAddress: string, path: string, headers?: Record<string, string>) => Promise<number>;

function connected(app: TestApp): { ask: Ask; end: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const { hostname, port } = new URL(app.address);
  const ask: Ask = (localAddress, path, headers = {}) =>
    new Promise((resolve) => {
      const request = get({ agent, hostname, port, path, localAddress, headers }, (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0));
      });
      request.once('error', () => resolve(0));
    });
  return { ask, end: () => agent.destroy() };
}

/** Asks for addresses again and again, from eleven addresses with a hundred connections each. */
function flood(app: TestApp, pathOf: (connection: number) => string) {
  const { ask, end } = connected(app);
  const statuses = new Map<number, number>();
  let isOn = true;
  const connections = Array.from({ length: 1100 }, async (_, connection) => {
    while (isOn) {
      const status = await ask(`127.0.0.${2 + (connection % 11)}`, pathOf(connection));
      if (isOn) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const stop = async (): Promise<void> => {
    isOn = false;
    end();
    await Promise.all(connections);
  };
  return { statuses, stop };
}

async function ticketOf(app: TestApp): Promise<string> {
  const { headers } = await app.call('POST', '/v1/statement', { key: undefined });
  return /external\/([\w-]{43})"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

const forged = (): string => randomBytes(32).toString('base64url');

/** Number of requests of such visitors that may be held at once, each in the next network of a /48. */
function heldOf(waits: Waits, site: string, networks: number): number {
  for (let count = 0; ; count += 1) {
    const shares = [`${site}:${count % networks}`, site].map((name) => ({ name, part: 1 }));
    try {
      waits.start({ part: 'anonymous', shares });
    } catch (error) {
      assert.ok(error instanceof Problem && error.status === 429);
      return count;
    }
  }
}

test('held requests of one network, of a /48 and of all are limited, those of a signed-in caller by themselves', () => {
  const waits = new Waits(1000, new Registry());
  assert.deepEqual([heldOf(waits, 'one', 1), heldOf(waits, 'wide', 256)], [5, 20]);
  let all = 25;
  for (let site = 0; all < 200; site += 1) all += heldOf(waits, `site ${site}`, 256);
  assert.equal(all, 200);
  assert.equal(heldOf(waits, 'late', 256), 0);
  const caller = { part: 'signedIn', shares: [{ name: 'user', part: 0.1 }] } as const;
  for (let count = 0; count < 100; count += 1) waits.start(caller);
  assert.throws(() => waits.start(caller), { status: 429 });
  waits.end(caller);
  waits.start(caller);
});

describeApp(
  'requests that wait',
  (app) => {
    const counts = async (held: number): Promise<boolean> => {
      const { text } = await app.call('GET', '/metrics');
      return new RegExp(`^ploidy_http_requests_held ${held}$`, 'm').test(text) && /_in_work 0$/m.test(text);
    };

    test('a held request is counted as held, not as one at work; the sixth of an address is answered at once', async () => {
      await until(() => counts(0), 'none is held any more');
      const tickets = await Promise.all(Array.from({ length: 6 }, () => ticketOf(app)));
      const controller = new AbortController();
      const asked = tickets.map((ticket) =>
        fetch(`${app.address}/v1/oauth/external/${ticket}/token`, { signal: controller.signal }),
      );
      const first = await Promise.race(asked);
      assert.equal(first.status, 200);
      assert.match(await first.text(), /^{"nextUri":"[^"]+\/token"}$/);
      await until(() => counts(5), 'five are held');
      controller.abort();
      await Promise.allSettled(asked);
      await until(() => counts(0), 'none is held any more');
    });

    test('a page or token of a ticket that the service did not issue is 404 at once', async () => {
      for (const path of ['', '/token']) {
        const { status } = await app.call('GET', `/v1/oauth/external/${forged()}${path}`, { key: undefined });
        assert.equal(status, 404);
      }
    });

    for (const [what, ticketsOf] of [
      ['forged tickets', async () => [forged()]],
      ['tickets of the service', () => Promise.all(Array.from({ length: 11 }, () => ticketOf(app)))],
    ] as const)
      test(`a flood of 1,100 connections with ${what} refuses no request of a signed-in caller`, async () => {
        const tickets = await ticketsOf();
        const caller = connected(app);
        const headers = { authorization: app.key, 'service-account': app.account };
        const askTen = () =>
          Promise.all(Array.from({ length: 10 }, () => caller.ask('127.0.0.1', '/v1/projects', headers)));
        const statuses = new Set(await askTen());
        const running = flood(
          app,
          (connection) => `/v1/oauth/external/${tickets[connection % tickets.length]}/token`,
        );
        await until(async () => running.statuses.size > 0, 'the flood is answered');
        for (let count = 0; count < 15; count += 1) for (const status of await askTen()) statuses.add(status);
        caller.end();
        await running.stop();
        assert.deepEqual([...statuses], [200]);
        assert.ok(running.statuses.has(what === 'forged tickets' ? 404 : 200));
      });
  },
  {},
  { overloadDelayMs: 200 },
);
