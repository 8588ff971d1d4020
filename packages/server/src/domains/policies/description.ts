import type { Operator } from '@ploidy/policy';

/** What each comparison takes as its value. */
const values: Readonly<Record<Operator, object>> = {
  equals: {},
  notEquals: {},
  includes: {},
  notIncludes: {},
  in: { type: 'array', items: {} },
  notIn: { type: 'array', items: {} },
  superset: { type: 'array', items: {} },
  subset: { type: 'array', items: {} },
  startsWith: { type: 'string' },
  endsWith: { type: 'string' },
  prefixOf: { type: 'string' },
  suffixOf: { type: 'string' },
};

const form = (description: string, comparisons: string[], more: Record<string, object>) => ({
  type: 'object',
  description,
  required: ['comparison', ...Object.keys(more)],
  additionalProperties: false,
  properties: { comparison: { type: 'string', enum: comparisons }, ...more },
});

const operators = Object.keys(values) as Operator[];
const ofKind = (type: string | undefined) =>
  operators.filter((operator) => Reflect.get(values[operator], 'type') === type);

const single = [
  form('The attribute is there', ['exists'], {}),
  form('With a value', ofKind(undefined), { value: {} }),
  form('With a list', ofKind('array'), { value: { type: 'array', items: {} } }),
  form('With a text', ofKind('string'), { value: { type: 'string' } }),
  form('With another attribute', operators, { target: { type: 'string', description: 'Its path' } }),
];

const comparison = {
  title: 'Comparison',
  description: 'What is asked of an attribute. A bare boolean is a constant: `true` holds, `false` does not',
  anyOf: [
    { type: 'boolean' },
    ...single,
    form('Several of one attribute, all of which must hold', ['all'], {
      of: { type: 'array', items: { anyOf: single } },
    }),
  ],
};

const rule = {
  title: 'Rule',
  type: 'object',
  additionalProperties: comparison,
  description: 'Attribute → comparison, such as `resource.dataset`; all of them must hold',
};

/** A policy for readers of the API document; what may be saved is for the engine's validation to say, which names every mistake. */
export const policyDescription = {
  title: 'Policy',
  type: 'object',
  required: ['rules'],
  properties: {
    rules: {
      type: 'object',
      description: 'Operation → `true`, or a list of rules one of which must hold',
      additionalProperties: {
        anyOf: [
          { type: 'boolean', enum: [true] },
          { type: 'array', items: rule },
        ],
      },
    },
  },
};
