import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantsOf, policyOf, sentenceOf, separated } from './grants.ts';

const policy: Parameters<typeof grantsOf>[0] = {
  rules: {
    accessAdmin: true,
    readData: [
      {
        'user.groups': { comparison: 'includes', value: 'g1' },
        'resource.dataset': { comparison: 'in', value: ['p1', 'p2'] },
      },
      { 'user.email': { comparison: 'endsWith', value: '@example.org' } },
    ],
  },
};

test('the grants of a policy give the same policy again', () => {
  assert.deepEqual(policyOf(grantsOf(policy) ?? []), policy);
});

test('a rule that compares two attributes is left to the text', () => {
  const rule = { 'resource.ownerId': { comparison: 'equals' as const, target: 'user.id' } };
  assert.equal(grantsOf({ rules: { updateData: [rule] } }), undefined);
});

test('a grant reads as a sentence with names instead of ids', () => {
  const names: Record<string, string> = { g1: 'Radiology', p1: 'Study', p2: 'Trial' };
  assert.deepEqual(
    grantsOf(policy)?.map((grant) => sentenceOf(grant, (_, id) => names[id] ?? id)),
    [
      'accessAdmin always',
      'readData where groups of the person include Radiology and project is one of Study, Trial',
      'readData where e-mail of the person ends with @example.org',
    ],
  );
});

test('a list of ids that is pasted becomes one value for each, and values that were there stay', () => {
  assert.deepEqual(separated(['a,b'], ['a,b', 'p-1, p-2;p-3\n\tp-1\n']), ['a,b', 'p-1', 'p-2', 'p-3']);
});
