import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { root } from '../../../../release/build.ts';
import { withoutReferences } from '../../../../test/support/api-document.ts';
import { describeApp } from '../../../../test/support/app.ts';
import { commitOf } from '../../../cli/src/build.ts';
import { build } from '../base/version.ts';

describeApp('addresses of the service itself', (app) => {
  test('health, readiness and metrics answer without credentials', async () => {
    const without = { key: undefined, account: undefined };
    assert.equal((await app.call('GET', '/healthz', without)).body.status, 'ok');
    assert.deepEqual((await app.call('GET', '/readyz', without)).body, { status: 'ready', ...build });
    const metrics = await app.call('GET', '/metrics', without);
    assert.match(metrics.text, /ploidy_http_request_duration_seconds_bucket/);
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/);
  });

  test('one version shows in health, version, metrics and the API document', async () => {
    const without = { key: undefined, account: undefined };
    const { version, commit, builtAt } = (await app.call('GET', '/v1/version', without)).body;
    assert.deepEqual({ commit, builtAt }, { builtAt: undefined, ...commitOf(root) });
    const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(version, about.version);
    assert.equal((await app.call('GET', '/healthz', without)).body.version, version);
    const labels = `version="${version}",commit="${commit ?? 'unknown'}",built_at="unknown"`;
    assert.ok((await app.call('GET', '/metrics', without)).text.includes(`ploidy_build_info{${labels}} 1`));
    assert.equal((await app.call('GET', '/docs/json', without)).body.info.version, version);
  });

  test('the API document and its page are served', async () => {
    const document = await app.call('GET', '/docs/json');
    assert.equal(document.body.openapi, '3.1.0');
    const page = await app.call('GET', '/docs/');
    assert.match(page.text, /swagger/i);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none';.* frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /https?:|upgrade|\w\.\w|unsafe/);
  });

  test('the API document distinguishes forms, JSON, bytes and pages', async () => {
    const { paths } = withoutReferences((await app.call('GET', '/docs/json')).body);
    const takes = ({ requestBody }: { requestBody: { content: object } }) => Object.keys(requestBody.content);
    assert.deepEqual(takes(paths['/v1/oauth/token'].post), ['application/x-www-form-urlencoded']);
    assert.deepEqual(takes(paths['/v1/transfers/uploads/{id}'].put), ['application/octet-stream']);
    assert.deepEqual(takes(paths['/v1/projects'].post), ['application/json']);
    const gives = (path: string, status: string) => Object.keys(paths[path].get.responses[status].content);
    assert.deepEqual(gives('/v1/files/{id}', '200'), ['application/json', 'application/octet-stream']);
    assert.deepEqual(gives('/v1/transfers/files/{id}', '206'), ['application/octet-stream']);
    assert.deepEqual(gives('/v1/oauth/sign-in', '4XX'), ['application/json', 'text/html']);
    assert.deepEqual(gives('/v1/projects', '4XX'), ['application/json']);
  });

  test('the API document names only methods of OpenAPI 3.1; UPDATE is in an extension', async () => {
    const { paths } = (await app.call('GET', '/docs/json')).body;
    const names = new Set(Object.values(paths).flatMap((methods) => Object.keys(methods as object)));
    assert.deepEqual([...names].sort(), ['delete', 'get', 'patch', 'post', 'put', 'x-update']);
    assert.equal(paths['/v1/ehrs/{ehrId}']['x-update'].operationId, 'updateEhrByUpdate');
  });
});
