import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp('the API document of a service', (app) => {
  test('is there in YAML as well, with every address', async () => {
    const { status, text } = await app.call('GET', '/docs/yaml');
    assert.equal(status, 200, text.slice(0, 300));
    assert.match(text, /^openapi: 3\.1\.0$/m);
    const { paths } = (await app.call('GET', '/docs/json')).body;
    for (const path of Object.keys(paths)) assert.ok(text.includes(`\n  ${path}:\n`), path);
  });
});
