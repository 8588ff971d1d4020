import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readApiDocument } from '../../../../../test/support/api-document.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import type { Problem } from '../../base/problem.ts';
import { compileValidator } from './validation.ts';

interface Body {
  required?: string[];
  properties?: Record<string, unknown>;
}

type Outcome = { error?: Problem; value?: unknown };

const check = (schema: object, method: string, value: unknown): Outcome =>
  compileValidator({ schema, method, url: '/', httpPart: 'body' })(value) as Outcome;

type Posts = Record<string, { post?: { requestBody?: { content: Record<string, { schema?: Body }> } } }>;
const { paths } = readApiDocument<{ paths: Posts }>();
const posts = Object.entries(paths).flatMap(([path, { post }]) => {
  const schema = post?.requestBody?.content['application/json']?.schema;
  return schema?.properties ? [{ path, schema, properties: schema.properties }] : [];
});

test('null for an optional field of a POST counts as unset, on every route', () => {
  assert.ok(posts.length > 15, `${posts.length} routes`);
  for (const { path, schema, properties } of posts) {
    const required = schema.required ?? [];
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    // Handlers check that one of several fields is present.
    const { error } = check(
      { ...schema, minProperties: 0 },
      'POST',
      Object.fromEntries(optional.map((name) => [name, null])),
    );
    const details = error?.details ?? [];
    assert.deepEqual(
      details.map((one) => `${one.path} ${one.message}`).sort(),
      required.map((name) => `body/${name} is missing`).sort(),
      path,
    );
  }
});

test('null remains an error for required fields, and in a change', () => {
  const item = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, name: { type: 'string' } },
  };
  const properties = {
    items: { type: 'array', items: item },
    open: {},
    cleared: { type: ['string', 'null'] },
  };
  const schema = { type: 'object', properties };
  assert.deepEqual(check(schema, 'POST', { items: [{ id: 'a', name: null }], open: null, cleared: null }), {
    value: { items: [{ id: 'a' }], open: null, cleared: null },
  });
  const pathOf = (method: string, value: object) => check(schema, method, value).error?.details?.[0]?.path;
  assert.equal(pathOf('POST', { items: [{ id: null }] }), 'body/items/0/id');
  assert.equal(pathOf('PATCH', { items: null }), 'body/items');
});

describeApp('unset fields and bodies', (app) => {
  const empty = (method: string, path: string, type = 'application/json') =>
    app.call(method, path, { headers: { 'content-type': type } });

  test('an empty body is an object without fields if a body is optional', async () => {
    const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Unchanged' } })).body;
    const changed = await empty('PATCH', `/v1/projects/${id}`);
    assert.deepEqual([changed.status, changed.body.name], [200, 'Unchanged'], changed.text);
    const callbackUrls = ['https://app.example/callback'];
    const client = await app.call('POST', '/v1/clients', { body: { name: 'Client', callbackUrls } });
    const put = await empty('PUT', `/v1/clients/${client.body.id}`);
    assert.deepEqual([put.status, put.body], [200, client.body]);
    for (const kind of ['datasets', 'readgroupsets', 'references', 'referencesets']) {
      const found = await empty('POST', `/${app.account}/v1/${kind}/search`);
      assert.equal(found.status, 200, found.text);
    }
  });

  test('a null body counts as unset in a POST, and is an error in a change', async () => {
    const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Null' } })).body;
    const ofNull = { headers: { 'content-type': 'application/json' }, body: 'null' };
    for (const [method, path, status] of [
      ['PATCH', `/v1/projects/${id}`, 400],
      ['PATCH', '/v1/user', 400],
      ['POST', `/${app.account}/v1/datasets/search`, 200],
    ] as const) {
      const answer = await fetch(`${app.address}${path}`, {
        method,
        ...ofNull,
        headers: { authorization: app.key, 'service-account': app.account, ...ofNull.headers },
      });
      assert.equal(answer.status, status, `${method} ${path}: ${await answer.text()}`);
    }
  });

  test('a missing body with required fields is reported as missing', async () => {
    const { status, body } = await empty('POST', '/v1/projects');
    assert.equal(status, 400);
    assert.equal(body.error, 'The input is not valid: the body is missing.');
    assert.deepEqual(body.details, [{ path: 'body', message: 'is missing' }]);
  });

  test('null in an analytics query counts as unset', async () => {
    const { id } = (await app.call('POST', '/v1/projects', { body: { name: 'Nulls' } })).body;
    const options = { fields: null, groupBy: null, metrics: null, limit: null, pageToken: null };
    for (const query of [
      { target: 'patient', domain: null, where: null, options: null },
      { target: 'patient', options },
    ]) {
      const body = { datasetId: id, cohortId: null, string_query: null, query, options: { limit: null } };
      const reply = await app.call('POST', '/v1/analytics/dsl', { body });
      assert.deepEqual([reply.status, reply.body], [200, { data: { patients: [] } }]);
    }
    const metrics = [{ op: 'count', field: null, interval: null }];
    const query = { target: 'patient', domain: 'aggregate', options: { metrics } };
    const counted = await app.call('POST', '/v1/analytics/dsl', { body: { datasetId: id, query } });
    assert.equal(counted.status, 200, counted.text);
  });
});
