/** Random policies and attributes over few names and values, so that they often match. */
import fc from 'fast-check';
import { isUniversal, meanings, operators } from './comparisons.ts';
import type { Json } from './json.ts';
import type { Attributes, Comparison, Operator, Policy, Rule, SingleComparison } from './policy.ts';

const word = fc.constantFrom('a', 'ab', 'b', 'ba', '', 'aba', '1');
const plain = fc.oneof({ weight: 6, arbitrary: word }, fc.constantFrom<Json>(1, 0, -0, true, false));
const item = fc.oneof(
  { weight: 8, arbitrary: plain },
  fc.constantFrom<Json>(null, ['a'], { x: 1, y: 'a' }, { y: 'a', x: 1 }, JSON.parse('{"__proto__":1}')),
);
const list = fc.array(item, { maxLength: 12 });
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: plain },
  list,
  item.filter((one) => one !== null),
);

const path = fc.constantFrom(
  'user.id',
  'user.groups',
  'user.groups.0',
  'user.custom.x',
  'user.toString',
  'user',
  'resource.id',
  'resource.dataset',
  'resource.tags',
  'resource.tags.1',
  'resource.tags.length',
  'resource.constructor',
  'other.id',
);

const operator = fc.constantFrom(...operators);
const single: fc.Arbitrary<SingleComparison> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(operator, value, list, word).map(withValue) },
  { weight: 4, arbitrary: fc.record({ comparison: operator, target: path }) },
  fc.constant<SingleComparison>({ comparison: 'exists' }),
);

function withValue([comparison, any, listed, text]: [Operator, Json, Json[], string]): SingleComparison {
  const { takes } = meanings[comparison];
  const value = takes === 'list' ? listed : takes === 'text' ? text : any;
  // Refused: the comparison would hold for everybody.
  if (isUniversal(comparison, value)) return { comparison, value: takes === 'list' ? ['a'] : 'a' };
  return { comparison, value };
}

const comparison: fc.Arbitrary<Comparison | boolean> = fc.oneof(
  { weight: 8, arbitrary: single },
  fc.array(single, { minLength: 1, maxLength: 3 }).map((of): Comparison => ({ comparison: 'all', of })),
  { weight: 1, arbitrary: fc.boolean() },
);
const rule: fc.Arbitrary<Rule> = fc.dictionary(path, comparison, {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
});

export const operations = ['readData', 'createData', 'constructor'];

export const policies: fc.Arbitrary<Policy> = fc.record({
  rules: fc.dictionary(
    fc.constantFrom(...operations),
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<true>(true) },
      { weight: 9, arbitrary: fc.array(rule, { minLength: 1, maxLength: 4 }) },
    ),
    { noNullPrototype: true },
  ),
});

const optional = { requiredKeys: [] };
const thing = fc.record(
  {
    id: item,
    groups: fc.oneof(list, item),
    custom: fc.record({ x: fc.oneof(item, list) }, optional),
    dataset: fc.oneof(item, list),
    tags: fc.oneof(list, item),
    toString: item,
  },
  optional,
);

export const attributeSets: fc.Arbitrary<Attributes> = fc.record(
  { user: fc.oneof({ weight: 9, arbitrary: thing }, item), resource: thing, other: thing },
  optional,
);
