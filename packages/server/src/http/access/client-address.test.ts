import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { clientAddress } from './client-address.ts';

test('an address is read with or without port, and an invalid one is that of the proxy', () => {
  const socket = { remoteAddress: '10.0.0.1' } as Socket;
  for (const [ip, address] of [
    ['198.51.100.21', '198.51.100.21'],
    ['198.51.100.21:5000', '198.51.100.21'],
    ['2001:db8::5', '2001:db8::5'],
    ['[2001:db8::5]', '2001:db8::5'],
    ['[2001:db8::5]:4000', '2001:db8::5'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['::ffff:198.51.100.21', '::ffff:198.51.100.21'],
    ['unknown', '10.0.0.1'],
    ['_hidden:1', '10.0.0.1'],
    ['999.1.1.1:80', '10.0.0.1'],
    ['[nonsense]:80', '10.0.0.1'],
    ['', '10.0.0.1'],
  ] as const)
    assert.equal(clientAddress({ ip, socket }), address, ip);
});

describeApp(
  'callers behind a proxy',
  (app) => {
    const statuses = async (forwarded: (at: number) => string, path: string, count = 30) => {
      const found = new Set<number>();
      for (let at = 0; at < count; at += 1) {
        const headers = { 'x-forwarded-for': forwarded(at) };
        found.add((await app.call('GET', path, { key: undefined, headers })).status);
      }
      return [...found];
    };
    const missing = `/v1/oauth/external/${'a'.repeat(43)}`;

    // asvs: 4.1.3, 15.3.4
    test('anonymous clients share one limit by address, whatever the port, and an IPv6 network counts as one', async () => {
      assert.deepEqual(await statuses((at) => `203.0.113.15:${4000 + at}`, missing), [404, 429]);
      assert.deepEqual(await statuses((at) => `[2001:db8::5]:${4000 + at}`, missing), [404, 429]);
      assert.deepEqual(await statuses((at) => `2001:db8:1::${at}`, missing), [404, 429]);
      assert.deepEqual(await statuses((at) => `203.0.113.${100 + at}`, missing), [404]);
    });

    test('the networks of an IPv6 customer share four times the limit of one', async () => {
      assert.deepEqual(await statuses((at) => `2001:db8:2:${at}::1`, missing, 80), [404]);
      assert.deepEqual(await statuses((at) => `2001:db8:2:${100 + at}::1`, missing, 2), [429]);
      assert.deepEqual(await statuses(() => '2001:db8:3::1', missing, 1), [404]);
    });

    test('a network beyond its limit still learns that it has to sign in, and what is public', async () => {
      const one = (): string => '203.0.113.15';
      assert.deepEqual(await statuses(one, '/v1/projects'), [401]);
      assert.deepEqual(await statuses(one, '/v1/oauth/jwks'), [200]);
    });
  },
  { PLOIDY_TRUSTED_PROXIES: '127.0.0.1', PLOIDY_REQUESTS_PER_MINUTE: '20' },
);
