import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';
import { ConfigError, readConfig } from '../../config/config.ts';

const [ours, foreign] = ['https://app.example.org', 'https://app.example.com'];

describeApp(
  'pages of other origins',
  (app) => {
    const ask = (origin: string, path: string, init: RequestInit = {}) =>
      fetch(`${app.address}${path}`, { ...init, headers: { ...init.headers, origin } });
    const preflight = (origin: string, path: string, method: string) =>
      ask(origin, path, {
        method: 'OPTIONS',
        headers: {
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,service-account,content-type',
        },
      });
    const readableBy = (reply: Response) => reply.headers.get('access-control-allow-origin');

    test('an allowed origin may use every method and our headers, but no cookies', async () => {
      for (const [path, methods] of [
        ['/v1/projects/x', /DELETE.*GET.*HEAD.*PATCH/],
        ['/v1/oauth/token', /POST/],
        ['/api/v1/analytics/data-lake/query?dryRun=true', /POST/],
        ['/v1/transfers/uploads/x', /PUT/],
      ] as const) {
        const reply = await preflight(ours, path, 'POST');
        assert.deepEqual([reply.status, readableBy(reply)], [204, ours], path);
        assert.match(reply.headers.get('access-control-allow-methods') ?? '', methods);
        assert.equal(
          reply.headers.get('access-control-allow-headers'),
          'authorization,service-account,content-type',
        );
        assert.equal(reply.headers.get('access-control-allow-credentials'), null);
        assert.equal(reply.headers.get('vary'), 'Origin');
      }
    });

    // asvs: 3.4.2
    test('an allowed origin may read responses and errors', async () => {
      const headers = { authorization: app.key, 'service-account': app.account };
      const good = await ask(ours, '/v1/projects', { headers });
      assert.deepEqual([good.status, readableBy(good)], [200, ours]);
      assert.match(good.headers.get('access-control-expose-headers') ?? '', /ETag.*X-Request-Id/);
      for (const [path, status] of [
        ['/v1/projects', 401],
        ['/v1/unknown', 404],
      ] as const) {
        const refused = await ask(ours, path);
        assert.deepEqual([refused.status, readableBy(refused)], [status, ours]);
      }
      const unknown = await preflight(ours, '/v1/unknown', 'GET');
      assert.equal(unknown.status, 404);
    });

    test('another origin may neither read nor send anything', async () => {
      const asked = await preflight(foreign, '/v1/projects', 'POST');
      assert.deepEqual([asked.status, readableBy(asked)], [405, null]);
      const headers = { authorization: app.key, 'service-account': app.account };
      assert.equal(readableBy(await ask(foreign, '/v1/projects', { headers })), null);
      assert.equal(readableBy(await ask('null', '/v1/projects', { headers })), null);
    });
  },
  { PLOIDY_ALLOWED_ORIGINS: `${ours}, http://localhost:3000` },
);

describeApp('pages of other origins, without the setting', (app) => {
  // asvs: 3.4.2
  test('no foreign origin may read anything', async () => {
    const reply = await fetch(`${app.address}/v1/projects`, { headers: { origin: ours } });
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
  });
});

test('an invalid origin is refused at the start', () => {
  for (const value of ['*', 'app.example.org', 'https://app.example.org/', 'https://a.org/path', 'file:///x'])
    assert.throws(
      () => readConfig({ PLOIDY_ALLOWED_ORIGINS: value }),
      (error) =>
        error instanceof ConfigError && /PLOIDY_ALLOWED_ORIGINS.*origins such as/.test(error.message),
      value,
    );
});
