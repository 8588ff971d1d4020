import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp('the API document of a service', (app) => {
  test('is there in YAML as well, with every address', async () => {
    const { status, text } = await app.call('GET', '/docs/yaml');
    assert.equal(status, 200, text.slice(0, 300));
    assert.match(text, /^openapi: 3\.1\.0$/m);
    const { paths } = (await app.call('GET', '/docs/json')).body;
    for (const path of Object.keys(paths)) assert.ok(text.includes(`\n  ${path}:\n`), path);
    assert.equal(Object.hasOwn(paths, '/'), false);
  });

  test('the bare address of a service leads to it, and nothing else there is more than unknown', async () => {
    const bare = await fetch(app.address, { redirect: 'manual' });
    assert.deepEqual([bare.status, bare.headers.get('location')], [302, '/docs']);
    assert.equal((await app.call('POST', '/', { body: {} })).status, 404);
  });

  test('under it lies nothing else of the service, however an address climbs out of it', async () => {
    const { hostname, port } = new URL(app.address);
    for (const path of ['/docs/../v1/projects', '/docs/%2e%2e/v1/projects', '/docs/x/..\\..\\v1/projects']) {
      const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ hostname, port, path }, (answer) => resolve(answer.resume())).on('error', reject);
      });
      assert.equal(statusCode, 404, path);
    }
    assert.equal((await app.call('GET', '/healthz')).status, 200);
  });

  test('and its page keep the conventions of every answer, also where nothing is', async () => {
    const page = await app.call('GET', '/docs');
    assert.equal(page.status, 200);
    assert.match(page.text, /<title>Ploidy API<\/title>/);
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    const missing = await app.call('GET', '/docs/static/nothing.js');
    assert.deepEqual([missing.status, missing.body.code], [404, 'NOT_FOUND']);
  });
});

describeApp(
  'a service without the page of its API document',
  (app) => {
    test('has nothing at its bare address', async () => {
      assert.equal((await app.call('GET', '/')).status, 404);
    });
  },
  { PLOIDY_DOCS: 'false' },
);
