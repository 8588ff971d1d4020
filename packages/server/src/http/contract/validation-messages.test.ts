import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { type TSchema, Type } from 'typebox';
import { detailsOf } from './validation-messages.ts';

function reported(schema: TSchema, value: unknown): [string, string][] {
  const validate = new Ajv({ allErrors: true, verbose: true, strict: false }).compile(schema);
  validate(value);
  return detailsOf(validate.errors ?? [], 'body', 100).map(({ path, message }) => [path, message]);
}

const literals = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));

test('a value outside the allowed ones is one error that names them', () => {
  const one = [['body', 'must be one of a, b, ""']];
  assert.deepEqual(reported(literals('a', 'b', ''), 'c'), one);
  assert.deepEqual(reported(literals('a', 'b', ''), 7), one);
  assert.deepEqual(reported(Type.Unsafe({ enum: ['a', 'b'] }), 'c'), [['body', 'must be one of a, b']]);
  assert.deepEqual(reported(Type.Literal('a'), 'c'), [['body', 'must be a']]);
  assert.deepEqual(reported(Type.Array(literals('a', 'b')), ['a', 'x', 'b', 'y']), [
    ['body/1', 'must be one of a, b'],
    ['body/3', 'must be one of a, b'],
  ]);
});

test('a long list of values is truncated', () => {
  const [[, message] = []] = reported(
    literals(...Array.from({ length: 25 }, (_, index) => `v${index}`)),
    'x',
  );
  assert.match(message ?? '', /^must be one of v0, .*, v19 and 5 more$/);
});

test('errors of a union are those of the matching type, or the list of types', () => {
  const shape = Type.Object({ name: Type.Union([Type.String({ maxLength: 2 }), Type.Null()]) });
  assert.deepEqual(reported(shape, { name: 'abc' }), [['body/name', 'must have at most 2 characters']]);
  assert.deepEqual(reported(shape, { name: 5 }), [['body/name', 'must be one of a text, null']]);
  const nested = Type.Union([Type.Array(literals('a', 'b')), Type.Null()]);
  assert.deepEqual(reported(nested, ['c']), [['body/0', 'must be one of a, b']]);
});

test('several faults of one value are one error', () => {
  const shape = Type.Object({ name: Type.String({ minLength: 1, pattern: '^[a-z]+$' }) });
  assert.deepEqual(reported(shape, { name: '' }), [['body/name', 'must not be empty']]);
});

test('limits and types are reported in plain words', () => {
  const list = Type.Array(Type.Integer({ minimum: 1, maximum: 9 }), { minItems: 1, maxItems: 2 });
  assert.deepEqual(reported(list, []), [['body', 'must not be empty']]);
  assert.deepEqual(reported(list, [1, 2, 3]), [['body', 'must have at most 2 entries']]);
  assert.deepEqual(reported(list, [0, 10]), [
    ['body/0', 'must be at least 1'],
    ['body/1', 'must be at most 9'],
  ]);
  const unique = Type.Array(Type.Boolean(), { uniqueItems: true });
  assert.deepEqual(reported(unique, [true, true]), [['body', 'must not hold the same entry twice']]);
  assert.deepEqual(reported(unique, ['x']), [['body/0', 'must be true or false']]);
  assert.deepEqual(reported(Type.String({ minLength: 8 }), 'x'), [
    ['body', 'must have at least 8 characters'],
  ]);
  assert.deepEqual(reported(Type.Unsafe({ type: ['integer', 'null'] }), 'x'), [
    ['body', 'must be one of a whole number, null'],
  ]);
});

test('a missing field is reported at its own path, among other errors', () => {
  const shape = Type.Object({
    name: Type.String(),
    size: Type.Integer(),
    more: Type.Object({ id: Type.String() }),
  });
  assert.deepEqual(reported(shape, { size: 'x', more: {} }), [
    ['body/name', 'is missing'],
    ['body/size', 'must be a whole number'],
    ['body/more/id', 'is missing'],
  ]);
});

test('a pattern is reported in words, never as a regular expression', () => {
  const id = (description?: string) =>
    Type.String({ pattern: '^[a-z]+$', ...(description && { description }) });
  assert.deepEqual(reported(id('Lower-case letters'), '1'), [['body', 'does not fit: Lower-case letters']]);
  assert.deepEqual(reported(id(), '1'), [['body', 'does not have the right form']]);
});

test('the first of hundreds of thousands of errors are reported', () => {
  const shape = Type.Union([Type.Array(literals('a', 'b')), Type.Null()]);
  const validate = new Ajv({ allErrors: true, verbose: true }).compile(shape);
  validate(Array(300_000).fill('x'));
  const details = detailsOf(validate.errors ?? [], 'body', 100);
  assert.deepEqual([details.length, details[99]?.path], [100, 'body/99']);
});

test('a field that an object does not allow is named', () => {
  const shape = Type.Object({ format: Type.Optional(Type.String()) }, { additionalProperties: false });
  assert.deepEqual(reported(shape, { fromat: 'csv' }), [['body/fromat', 'is not known']]);
});
