import type { Type as TypeBox } from 'typebox';

export type { Static, TObject, TSchema } from 'typebox';

type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** The fields of an object that may be absent are known by it; no enumerable one, for it is no part of JSON Schema. */
const optional = Symbol('optional');

/**
 * Declares schemas whose TypeScript types follow from them. The types are those of typebox; its code, 373 modules for what is
 * written here, would be a tenth of a start. `schema.test.ts` holds the schemas to its own.
 */
export const Type = {
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
  Literal: (value: string | number | boolean, options?: Schema) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Union: (schemas: Schema[], options?: Schema) => ({ anyOf: schemas, ...options }),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Record: (_keys: Schema, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  Object: objectOf,
  Optional: optionalOf,
  Partial: ({ properties }: { properties: Properties }) => {
    const all = Object.entries(properties).map(([name, schema]) => [name, optionalOf(schema)] as const);
    return objectOf(Object.fromEntries(all));
  },
} as unknown as Pick<
  typeof TypeBox,
  | 'String'
  | 'Integer'
  | 'Number'
  | 'Boolean'
  | 'Null'
  | 'Unknown'
  | 'Unsafe'
  | 'Literal'
  | 'Union'
  | 'Array'
  | 'Record'
  | 'Object'
  | 'Optional'
  | 'Partial'
>;

function objectOf(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name] ?? {}, optional));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optionalOf(schema: Schema): Schema {
  return Object.defineProperty({ ...schema }, optional, { value: true });
}
