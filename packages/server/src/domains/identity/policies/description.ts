import { operators, sidesOf } from '@ploidy/policy';
import { attributes } from './warnings.ts';

const form = (
  title: string,
  description: string,
  comparisons: readonly string[],
  more: Record<string, object>,
) => ({
  title,
  type: 'object',
  description,
  required: ['comparison', ...Object.keys(more)],
  additionalProperties: false,
  properties: {
    comparison: { type: 'string', enum: comparisons, description: 'Name of the comparison' },
    ...more,
  },
});

const ofKind = (kind: ReturnType<typeof sidesOf>['value']) =>
  operators.filter((operator) => sidesOf(operator).value === kind);

const single = [
  form('PresentComparison', 'The attribute is present', ['exists'], {}),
  form('ValueComparison', 'With a value', ofKind('any'), {
    value: { description: 'Value to compare with' },
  }),
  form('ListComparison', 'With a list', ofKind('list'), {
    value: { type: 'array', items: {}, description: 'Values to compare with' },
  }),
  form('TextComparison', 'With a text', ofKind('text'), {
    value: { type: 'string', description: 'Text to compare with' },
  }),
  {
    ...form('TargetComparison', 'With another attribute', operators, {
      comparison: {
        title: 'Operator',
        type: 'string',
        enum: operators,
        description: 'Name of the comparison',
      },
      target: { type: 'string', description: 'Path of the other attribute' },
    }),
    required: ['comparison', 'target'],
  },
];

const singleComparison = { title: 'SingleComparison', anyOf: single };

const comparison = {
  title: 'Comparison',
  description: 'Condition on an attribute. A bare boolean is a constant: `true` holds, `false` does not',
  anyOf: [
    { type: 'boolean' },
    // Not by reference: generators fail over alternatives of alternatives.
    ...single,
    form('AllComparison', 'Several of one attribute; all must hold', ['all'], {
      of: { type: 'array', items: singleComparison, description: 'Comparisons, all of which must hold' },
    }),
  ],
};

const rule = {
  title: 'Rule',
  type: 'object',
  // Generators of clients fail over lists of objects without any property.
  properties: Object.fromEntries(attributes.map((name) => [name, comparison])),
  additionalProperties: comparison,
  description: 'Attribute → comparison, such as `resource.dataset`; all must hold',
};

/** Schema of a policy for readers of the API document; the engine's validation decides and names every error. */
export const policyDescription = {
  title: 'Policy',
  description: 'Access policy: rules by operation',
  type: 'object',
  required: ['rules'],
  properties: {
    rules: {
      type: 'object',
      description: 'Operation → `true`, or a list of rules one of which must hold',
      additionalProperties: {
        anyOf: [
          { type: 'boolean', enum: [true] },
          { title: 'Rules', type: 'array', items: rule },
        ],
      },
    },
  },
};
