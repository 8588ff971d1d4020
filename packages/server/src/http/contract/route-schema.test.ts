import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Ajv } from 'ajv';
import { addresses } from '../../../../../test/isolation/catalogue.ts';
import { withoutReferences } from '../../../../../test/support/api-document.ts';
import { describeApp } from '../../../../../test/support/app.ts';

// asvs: 2.1.1, 2.2.1
test('every route validates requests by a valid JSON Schema', () => {
  const metaSchema = new Ajv({ strict: false });
  const parts = addresses.flatMap(({ name, route: { params, query, body } }) =>
    [params, query, body].filter((part) => part !== undefined).map((part) => ({ name, part })),
  );
  assert.ok(parts.length > 100);
  for (const { name, part } of parts)
    assert.ok(metaSchema.validateSchema(part), `${name}: ${metaSchema.errorsText()}`);
});

describeApp('headers, parameters and addresses in the API document', (app) => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
  let paths: any;
  before(async () => {
    paths = withoutReferences((await app.call('GET', '/docs/json')).body).paths;
  });

  const headersAt = (method: string, path: string): Record<string, boolean> =>
    Object.fromEntries(
      (paths[path][method].parameters ?? [])
        .filter((one: { in: string }) => one.in === 'header')
        .map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    );
  const sentWith = (method: string, path: string, status: string): string[] =>
    Object.keys(paths[path][method].responses[status].headers);

  test('the account is required exactly where omitting it is 400', async () => {
    const missing = async (path: string) =>
      (await app.call('GET', path, { account: undefined })).body.code === 'ACCOUNT_HEADER_REQUIRED';
    for (const path of ['/v1/projects', '/v1/policies', '/v1/accounts', '/v1/evaluated-policy', '/v1/user'])
      assert.equal(headersAt('get', path)['Service-Account'] === true, await missing(path), path);
  });

  test('every POST with changes accepts an Idempotency-Key, and no other operation does', () => {
    const reading = addresses.filter(({ route }) => route.onlyReads);
    const onlyRead = new Set(reading.map(({ route }) => route.path.replaceAll(/:(\w+)/g, '{$1}')));
    assert.ok(onlyRead.size > 5);
    for (const [path, methods] of Object.entries<Record<string, { security: object[] }>>(paths))
      for (const [method, { security }] of Object.entries(methods)) {
        const hasCaller = security.some(
          (one) => 'apiKey' in one || 'oauth2' in one || 'sessionCookie' in one,
        );
        const isTaken = 'Idempotency-Key' in headersAt(method, path);
        const isRepeatable = method === 'post' && hasCaller && !onlyRead.has(path);
        assert.equal(isTaken, isRepeatable, `${method} ${path}`);
      }
  });

  test('policies return and accept an ETag; files return one and accept ranges', async () => {
    assert.deepEqual(headersAt('put', '/v1/policies/{policyId}')['If-Match'], false);
    assert.ok(sentWith('get', '/v1/policies/{policyId}', '200').includes('ETag'));
    for (const path of ['/v1/files/{id}', '/v1/transfers/files/{id}']) {
      const { Range, 'If-None-Match': known } = headersAt('get', path);
      assert.deepEqual([Range, known], [false, false]);
      assert.deepEqual(sentWith('get', path, '206'), ['X-Request-Id', 'ETag', 'Content-Range']);
      assert.deepEqual(sentWith('get', path, '304'), ['X-Request-Id', 'ETag']);
    }
    assert.deepEqual(headersAt('put', '/v1/transfers/uploads/{id}'), { 'Content-MD5': false });
    assert.deepEqual(headersAt('put', '/v1/users/{username}/picture'), { 'Content-Length': true });
  });

  test('redirects describe Location, and errors Retry-After', async () => {
    assert.deepEqual(sentWith('get', '/v1/oauth/authorize', '302'), ['X-Request-Id', 'Location']);
    assert.ok(sentWith('get', '/v1/projects', '4XX').includes('Retry-After'));
    assert.ok(sentWith('get', '/v1/projects', '5XX').includes('Retry-After'));
  });

  test('OAuth parameters are described as strings, and refused with errors of OAuth', async () => {
    const query = paths['/v1/oauth/authorize'].get.parameters.filter(
      (one: { in: string }) => one.in === 'query',
    );
    const required = query.filter((one: { required: boolean }) => one.required);
    assert.deepEqual(required.map((one: { name: string }) => one.name).sort(), [
      'client_id',
      'redirect_uri',
      'response_type',
    ]);
    for (const { schema } of query) assert.deepEqual(schema, { type: 'string' });
    const form =
      paths['/v1/oauth/token'].post.requestBody.content['application/x-www-form-urlencoded'].schema;
    assert.deepEqual([form.required, form.properties.grant_type.type], [['grant_type'], 'string']);
    const reply = await app.call('POST', '/v1/oauth/token', {
      key: undefined,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=a&grant_type=b',
    });
    assert.equal(reply.body.error, 'invalid_request');
  });

  test('other response types, optional bodies and numbers in paths are described', () => {
    const token = paths['/v1/oauth/token'].post.responses['200'].content;
    assert.deepEqual(token['application/xml'], token['application/json']);
    const isNeeded = (method: string, path: string) => paths[path][method].requestBody.required === true;
    for (const path of ['/v1/oauth/userinfo', '/{account}/v1/datasets/search'])
      assert.equal(isNeeded('post', path), false, path);
    for (const path of ['/v1/oauth/token', '/v1/projects', '/v1/analytics/dsl'])
      assert.equal(isNeeded('post', path), true, path);
    assert.equal(isNeeded('put', '/v1/transfers/uploads/{id}'), true);
    const { parameters, responses } = paths['/{account}/v1/htsget/reads/{id}'].get;
    for (const name of ['start', 'end'])
      assert.equal(parameters.find((one: { name: string }) => one.name === name).schema.type, 'integer');
    assert.ok(responses['200'].content['application/vnd.ga4gh.htsget.v1.3.0+json']);
  });

  test('an alias is described with its address, and has the same response', async () => {
    const reported = (path: string): string =>
      /`(\S+)` answers the same/.exec(paths[path].get.description)?.[1] ?? '';
    const lake = '/api/v1/analytics/data-lake/query/{queryId}';
    assert.equal(reported(lake), lake.slice('/api'.length));
    const discovery = '/v1/.well-known/openid-configuration';
    const first = await app.call('GET', discovery);
    assert.deepEqual((await app.call('GET', reported(discovery))).body, first.body);
  });
});
