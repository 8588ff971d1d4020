import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses } from '../../../../../test/isolation/catalogue.ts';

type Schema = Record<string, unknown>;

/** Returns every schema within a schema, with the way to it. */
function* schemasIn(schema: unknown, way: string): Generator<[way: string, schema: Schema]> {
  if (Array.isArray(schema))
    for (const [index, one] of schema.entries()) yield* schemasIn(one, `${way}/${index}`);
  else if (schema instanceof Object) {
    yield [way, schema as Schema];
    for (const [name, one] of Object.entries(schema)) yield* schemasIn(one, `${way}/${name}`);
  }
}

const isSafe = (bound: unknown): boolean =>
  Number.isFinite(bound) && Math.abs(Number(bound)) <= Number.MAX_SAFE_INTEGER;

/** Digits that no exact number has. */
const immense = '9'.repeat(17);

/** Returns the fault of a schema that accepts numbers, or texts that can only be numbers. */
function faultOf(schema: Schema): string | undefined {
  const types = [schema['type']].flat();
  if (types.includes('number') || types.includes('integer')) {
    const isBounded =
      isSafe(schema['minimum'] ?? schema['exclusiveMinimum']) &&
      isSafe(schema['maximum'] ?? schema['exclusiveMaximum']);
    return isBounded || 'const' in schema || 'enum' in schema ? undefined : 'a number without bounds';
  }
  if (!types.includes('string') || typeof schema['pattern'] !== 'string') return undefined;
  const pattern = new RegExp(schema['pattern'], 'u');
  const takesWords = ['x', 'xx', 'XY', 'a-b', 'x'.repeat(43)].some((word) => pattern.test(word));
  const isShort = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY) < immense.length;
  return !takesWords && pattern.test(immense) && !isShort ? 'a text of digits without an end' : undefined;
}

test('every number of a route has bounds within which it is exact', () => {
  let numbers = 0;
  const faults = addresses.flatMap(({ name, route }) =>
    Object.entries({ ...route, answers: {} }).flatMap(([part, value]) => {
      if (!/^(params|query|body|headers|described\w*)$/i.test(part)) return [];
      return [...schemasIn(value, part)].flatMap(([way, schema]) => {
        if (/^(number|integer)$/.test(String(schema['type']))) numbers += 1;
        const fault = faultOf(schema);
        return fault ? [`${name} ${way}: ${fault}`] : [];
      });
    }),
  );
  assert.deepEqual(faults, []);
  assert.ok(numbers > 20);
});

test('a number without safe bounds, and a text of endless digits, are found wherever they are', () => {
  const bad: Schema[] = [
    { type: 'integer' },
    { type: 'number', minimum: 0 },
    { type: 'integer', minimum: 0, maximum: 2 ** 60 },
    { type: ['integer', 'null'], minimum: 0 },
    { type: 'string', pattern: '^\\d+$' },
  ];
  for (const schema of bad) {
    const nested = { anyOf: [{ type: 'null' }, { properties: { deep: schema } }] };
    assert.equal(
      [...schemasIn(nested, '')].filter(([, one]) => faultOf(one)).length,
      1,
      JSON.stringify(schema),
    );
  }
  const good = [
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: 'string', pattern: '^\\d{1,15}$' },
    { type: 'string' },
  ];
  for (const schema of good) assert.equal(faultOf(schema), undefined, JSON.stringify(schema));
});
