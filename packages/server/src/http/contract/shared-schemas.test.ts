import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { validatePolicy } from '@ploidy/policy';
import { Ajv } from 'ajv';
import { readApiDocument } from '../../../../../test/support/api-document.ts';
import { withSharedSchemas } from './shared-schemas.ts';

test('a schema with a title is defined once, under its title, at any depth of use', () => {
  const file = () => ({ title: 'File', type: 'object', properties: { title: { type: 'string' } } });
  const folder = () => ({ title: 'Folder', type: 'array', items: file() });
  const answer = (schema: object) => ({
    get: { responses: { 200: { description: 'It', content: { json: { schema } } } } },
  });
  const document = {
    openapi: '3.1.0',
    paths: {
      '/a': answer({ ...file(), description: 'It' }),
      '/b': answer({ type: 'array', items: folder() }),
    },
  };
  assert.deepEqual(withSharedSchemas(document), {
    openapi: '3.1.0',
    paths: {
      '/a': answer({ $ref: '#/components/schemas/File' }),
      '/b': answer({ type: 'array', items: { $ref: '#/components/schemas/Folder' } }),
    },
    components: {
      schemas: {
        File: { type: 'object', properties: { title: { type: 'string' } } },
        Folder: { type: 'array', items: { $ref: '#/components/schemas/File' } },
      },
    },
  });
  assert.throws(
    () => withSharedSchemas({ paths: { a: answer(file()), b: answer({ title: 'File', type: 'string' }) } }),
    /File/,
  );
});

test('a field named content or responses is described like others', () => {
  const properties = { content: { type: 'string', description: 'Text' }, responses: { a: { content: {} } } };
  const content = { json: { schema: { type: 'object', properties } } };
  const paths = { '/a': { post: { requestBody: { content }, responses: { 200: { content } } } } };
  assert.deepEqual(withSharedSchemas({ paths }).paths, paths);
});

test('errors and resources have one schema each in the API document', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../../docs/openapi.json'), 'utf8');
  const { schemas } = JSON.parse(text).components;
  for (const name of ['Problem', 'Account', 'OAuthClient', 'Project', 'User', 'Policy', 'ReadGroupSet'])
    assert.ok(schemas[name], name);
  assert.equal(text.split('"Stable code for programs"').length, 2);
});

test('the API document accepts the same policies as the engine: every comparison in each form', () => {
  const { components } = readApiDocument<{ components: { schemas: Record<string, object> } }>();
  const validate = new Ajv({ strict: false }).compile(components.schemas['Policy'] as object);
  const of = (comparison: unknown) => ({ rules: { readData: [{ 'resource.dataset': comparison }] } });
  const sound = [
    ...['equals', 'includes', 'notEquals'].map((comparison) => ({ comparison, value: 'x' })),
    ...['superset', 'subset', 'in', 'notIn'].map((comparison) => ({ comparison, value: ['x'] })),
    ...['equals', 'includes', 'superset', 'prefixOf'].map((comparison) => ({
      comparison,
      target: 'user.id',
    })),
    { comparison: 'startsWith', value: 'x' },
    { comparison: 'exists' },
    { comparison: 'all', of: [{ comparison: 'exists' }, { comparison: 'equals', value: 1 }] },
    true,
    false,
  ];
  const broken = [
    { comparison: 'superset', value: 'x' },
    { comparison: 'startsWith', value: 1 },
    { comparison: 'like', value: 'x' },
    { comparison: 'equals' },
    { comparison: 'exists', value: 1 },
    { comparison: 'equals', value: 1, target: 'user.id' },
    'x',
  ];
  for (const comparison of [...sound, ...broken]) {
    const policy = of(comparison);
    const isSound = validatePolicy(policy).length === 0;
    assert.equal(validate(policy), isSound, JSON.stringify(comparison));
    assert.equal(isSound, sound.includes(comparison as never), JSON.stringify(comparison));
  }
  assert.ok(validate({ rules: { apiKeyUser: true } }));
  assert.ok(!validate({ rules: { apiKeyUser: false } }));
});
