import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { operationExamples } from './operation-examples.ts';

interface Operation {
  operationId?: string;
  parameters?: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example?: unknown }> };
  responses: Record<string, object>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, object> };
}

const document: Document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../../docs/openapi.json'), 'utf8'),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    method.startsWith('x-') ? [] : [{ at: `${method} ${path}`, operation }],
  ),
);

test('every operation has a name of letters, and no two have the same', () => {
  const names = operations.map(({ at, operation }) => {
    assert.match(operation.operationId ?? '', /^[a-z][A-Za-z]+$/, at);
    return operation.operationId?.toLowerCase();
  });
  assert.equal(new Set(names).size, names.length);
});

test('every parameter is described', () => {
  for (const { at, operation } of operations)
    for (const { name, description } of operation.parameters ?? []) assert.ok(description, `${at}: ${name}`);
});

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
}

/** Lists the properties of all schemas in a part of the document, by their place in it. */
function* propertiesIn(part: unknown, at: string): Generator<[at: string, property: Schema]> {
  if (typeof part !== 'object' || part === null) return;
  const { properties, type } = part as Schema & { type?: unknown };
  if (type === 'object' && properties)
    for (const [name, property] of Object.entries(properties)) yield [`${at}: ${name}`, property];
  for (const [name, inner] of Object.entries(part))
    if (name !== 'example') yield* propertiesIn(inner, `${at}/${name}`);
}

test('every property is described, where it is used or by its own schema', () => {
  const properties = [...propertiesIn(document, '')];
  assert.ok(properties.length > 500);
  const undescribed = properties.filter(([, { description, $ref }]) => {
    const shared = document.components.schemas[$ref?.split('/').at(-1) ?? ''] as Schema | undefined;
    return !(description ?? shared?.description);
  });
  assert.deepEqual(
    undescribed.map(([at]) => at),
    [],
  );
});

test('every JSON body has a name and an example that fits it', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'api', components: document.components });
  const used = new Set<string>();
  for (const { at, operation } of operations) {
    const body = operation.requestBody?.content['application/json'];
    if (!body) continue;
    const { $ref } = body.schema;
    assert.match($ref ?? '', /^#\/components\/schemas\/\w+$/, at);
    assert.ok(body.example !== undefined, `${at} has no example`);
    const validate = ajv.compile({ $ref: `api${$ref}` });
    assert.ok(validate(body.example), `${at}: ${ajv.errorsText(validate.errors)}`);
    used.add(operation.operationId ?? '');
  }
  assert.deepEqual(
    Object.keys(operationExamples).filter((name) => !used.has(name)),
    [],
  );
});

test('bodies and answers have types that generators of clients know', () => {
  for (const { at, operation } of operations)
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)] as {
      content?: object;
    }[])
      for (const type of Object.keys(content)) assert.doesNotMatch(type, /\*/, at);
});

test('errors that many operations share are defined once', () => {
  const { responses } = operations.find(({ at }) => at === 'get /v1/projects/{id}')?.operation ?? {};
  const named = Object.fromEntries(
    Object.entries(responses ?? {}).flatMap(([status, answer]) =>
      '$ref' in answer ? [[status, String(answer.$ref).split('/').at(-1)]] : [],
    ),
  );
  assert.deepEqual(named, {
    400: 'InvalidInput',
    401: 'Unauthenticated',
    403: 'Forbidden',
    404: 'NotFound',
    429: 'TooManyRequests',
    '4XX': 'ClientError',
    '5XX': 'ServerError',
  });
  for (const name of Object.values(named))
    assert.ok(document.components.responses[String(name)], name as string);
});
