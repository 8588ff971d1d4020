import { Type } from '../../schema.ts';

/** The map that most records of genomics carry (specification, "Genomics: attribute value"). */
export interface Attributes {
  attr: Record<string, { values: AttributeValue[] }>;
}

export type AttributeValue =
  | { stringValue: string }
  | { int64Value: string }
  | { boolValue: boolean }
  | { doubleValue: number };

const text = Type.Optional(Type.String());

/** One value: one of its fields is there. What is nested is described by its outermost level. */
const valueShape = Type.Object(
  {
    stringValue: text,
    int64Value: Type.Optional(Type.String({ description: 'A 64-bit integer as text' })),
    int32Value: Type.Optional(Type.Integer()),
    boolValue: Type.Optional(Type.Boolean()),
    doubleValue: Type.Optional(Type.Number()),
    externalIdentifier: Type.Optional(Type.Object({ database: text, identifier: text, version: text })),
    ontologyTerm: Type.Optional(Type.Object({ term_id: text, term: text })),
    experiment: Type.Optional(Type.Object({}, { additionalProperties: true })),
    program: Type.Optional(Type.Object({}, { additionalProperties: true })),
    analysis: Type.Optional(Type.Object({}, { additionalProperties: true })),
    nullValue: Type.Optional(Type.Literal('NULL_VALUE')),
    attributes: Type.Optional(Type.Object({}, { additionalProperties: true })),
    attributeList: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'AttributeValue' },
);

export const attributesShape = Type.Object(
  {
    attr: Type.Record(Type.String(), Type.Object({ values: Type.Array(valueShape) })),
  },
  { title: 'Attributes' },
);

/** Plain values under their names as attributes; what is missing has none. */
export function attributesFrom(
  values: Record<string, string | number | boolean | null | undefined>,
): Attributes {
  const present = Object.entries(values).flatMap(([name, value]): [string, { values: AttributeValue[] }][] =>
    value !== null && value !== undefined ? [[name, { values: [attributeValue(value)] }]] : [],
  );
  return { attr: Object.fromEntries(present) };
}

function attributeValue(value: string | number | boolean): AttributeValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { int64Value: String(value) } : { doubleValue: value };
}
