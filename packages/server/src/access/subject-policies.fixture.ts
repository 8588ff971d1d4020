import { type Json, operators, type Policy, type SingleComparison, sidesOf } from '@ploidy/policy';
import fc from 'fast-check';

/** Ids of patients, with those that SQL and JSON spell in their own ways. */
export const ids = ['a', 'ab', 'b', 'ba', 'aba', '1', "o'x", 'é😀', '\\', '%', ''];

/** Attributes of the tables about which the policies are. */
export const tables = { account: 'ab', dataset: 'a', type: 'table' } as const;

const word = fc.constantFrom<Json>(...ids, 'a\0', '\ud83d', "') OR (true", 1, true, null);
const texts = fc.array(word, { maxLength: 4 });
const ofKind = {
  any: word.filter((one) => one !== null),
  list: texts,
  text: fc.constantFrom(...ids, 'abab', "o'xy"),
};
const operator = fc.constantFrom(...operators);
const single: fc.Arbitrary<SingleComparison> = fc.oneof(
  {
    weight: 3,
    arbitrary: operator.chain((comparison) =>
      ofKind[sidesOf(comparison).value].map((value) => ({ comparison, value })),
    ),
  },
  fc.record({
    comparison: operator,
    target: fc.constantFrom('resource.dataset', 'resource.account', 'resource.ownerId'),
  }),
  fc.constant({ comparison: 'exists' }),
);
const comparison = fc.oneof(
  single,
  fc.array(single, { minLength: 1, maxLength: 3 }).map((of) => ({ comparison: 'all', of }) as const),
);
const path = fc.constantFrom(
  'resource.subject',
  'resource.subject',
  'resource.dataset',
  'resource.ownerId',
  'resource.type',
);
const rule = fc.dictionary(path, comparison, { minKeys: 1, maxKeys: 2, noNullPrototype: true });

/** Rules of one privilege, most of them on the patient of a row. */
export const rules = fc.array(rule, { minLength: 1, maxLength: 3 });

/** Random policies of `readData`. */
export const policies = rules.map((drawn) => ({ rules: { readData: drawn } }) as Policy);
