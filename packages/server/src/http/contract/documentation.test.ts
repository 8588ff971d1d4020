import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('the API document of a service', (app) => {
  test('the API document exists in YAML too, with every address', async () => {
    const { status, text } = await app.call('GET', '/docs/yaml');
    assert.equal(status, 200, text.slice(0, 300));
    assert.match(text, /^openapi: 3\.1\.0$/m);
    const { paths } = (await app.call('GET', '/docs/json')).body;
    for (const path of Object.keys(paths)) assert.ok(text.includes(`\n  ${path}:\n`), path);
    assert.equal(Object.hasOwn(paths, '/'), false);
  });

  test('/openapi.json leads to it', async () => {
    assert.equal((await app.call('GET', '/openapi.json')).body.openapi, '3.1.0');
  });

  test('the root address accepts only GET', async () => {
    assert.equal((await app.call('POST', '/', { body: {} })).status, 404);
  });

  test('an address below it with parent segments reaches nothing else', async () => {
    const { hostname, port } = new URL(app.address);
    for (const path of ['/docs/../v1/projects', '/docs/%2e%2e/v1/projects', '/docs/x/..\\..\\v1/projects']) {
      const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ hostname, port, path }, (answer) => resolve(answer.resume())).on('error', reject);
      });
      assert.equal(statusCode, 404, path);
    }
    assert.equal((await app.call('GET', '/healthz')).status, 200);
  });

  test('the page of the document and missing addresses keep the conventions of responses', async () => {
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
    test('without documentation the root address is empty', async () => {
      assert.equal((await app.call('GET', '/')).status, 404);
    });
  },
  { PLOIDY_DOCS: 'false', PLOIDY_CONSOLE: 'false' },
);
