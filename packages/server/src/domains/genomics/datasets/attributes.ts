import { Type } from 'typebox';
import { countOf, optionalText } from '../../../api/shapes.ts';

/** Attributes of genomics records (specification, "Genomics: attribute value"). */
export interface Attributes {
  attr: Record<string, { values: AttributeValue[] }>;
}

export type AttributeValue =
  | { stringValue: string }
  | { int64Value: string }
  | { boolValue: boolean }
  | { doubleValue: number };

/** Term of an ontology. */
export const ontologyTermShape = (description: string) =>
  Type.Object(
    {
      term_id: optionalText('Id of the term, such as `NCBITaxon:9606`'),
      term: optionalText('Name of the term'),
    },
    { description },
  );

const anyObject = (description: string) =>
  Type.Optional(Type.Object({}, { additionalProperties: true, description }));

/** Attribute value with one of these fields. Nested values are described at the outermost level only. */
const valueShape = Type.Object(
  {
    stringValue: optionalText('Text'),
    int64Value: Type.Optional(Type.String({ description: '64-bit integer as a string' })),
    int32Value: Type.Optional(countOf('32-bit integer')),
    boolValue: Type.Optional(Type.Boolean({ description: 'Truth value' })),
    doubleValue: Type.Optional(Type.Number({ description: 'Floating-point number' })),
    externalIdentifier: Type.Optional(
      Type.Object(
        {
          database: optionalText('Name of the database'),
          identifier: optionalText('Identifier in it'),
          version: optionalText('Version of the identifier'),
        },
        { description: 'Identifier in another database' },
      ),
    ),
    ontologyTerm: Type.Optional(ontologyTermShape('Term of an ontology')),
    experiment: anyObject('Experiment'),
    program: anyObject('Program'),
    analysis: anyObject('Analysis'),
    nullValue: Type.Optional(Type.Literal('NULL_VALUE', { description: 'No value' })),
    attributes: anyObject('Nested attributes'),
    attributeList: anyObject('Nested list of values'),
  },
  { title: 'AttributeValue', description: 'Value with exactly one of these fields' },
);

export const attributesShape = Type.Object(
  {
    attr: Type.Record(
      Type.String(),
      Type.Object({ values: Type.Array(valueShape, { description: 'Values of the attribute' }) }),
      { description: 'Values by the name of the attribute' },
    ),
  },
  { title: 'Attributes', description: 'Further attributes by name; may be empty' },
);

/** Converts plain values to attributes by name; missing values are omitted. */
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
