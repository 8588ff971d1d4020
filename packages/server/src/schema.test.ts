import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './schema.ts';

/** Every way of declaring a schema, with and without options. */
function declared(Type: typeof import('./schema.ts').Type) {
  const text = Type.String({ minLength: 1, description: 'a text' });
  const object = Type.Object(
    { text, number: Type.Optional(Type.Number()), list: Type.Array(text, { maxItems: 2 }) },
    { additionalProperties: false, description: 'an object' },
  );
  return {
    text,
    object,
    plain: [Type.String(), Type.Integer(), Type.Number(), Type.Boolean(), Type.Null(), Type.Unknown()],
    whole: Type.Integer({ minimum: 0, default: 7 }),
    yes: Type.Boolean({ default: true }),
    anything: Type.Unknown({ description: 'anything' }),
    literals: [Type.Literal('a'), Type.Literal(1), Type.Literal(true, { description: 'yes' })],
    either: Type.Union([Type.Literal('a'), Type.Null()], { description: 'a, or nothing' }),
    unsafe: Type.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
    map: Type.Record(Type.String(), text, { maxProperties: 3 }),
    empty: Type.Object({}),
    nothingNeeded: Type.Object({ text: Type.Optional(text) }),
    optionalTwice: Type.Object({ text: Type.Optional(Type.Optional(text)) }),
    neededAgain: Type.Object({ text: { ...Type.Optional(text) } }),
    partial: Type.Partial(object),
    list: Type.Array(Type.Object({ inner: object })),
  };
}

test('schemas are those that typebox makes, whose types they bear', () => {
  assert.equal(JSON.stringify(declared(Type)), JSON.stringify(declared(TypeBox)));
});
