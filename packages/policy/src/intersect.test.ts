import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attributeSets, operations, policies } from './arbitraries.fixture.ts';
import { compilePolicy } from './compile.ts';
import { intersectPolicies } from './intersect.ts';
import type { Policy } from './policy.ts';
import { isValidPolicy } from './validate.ts';

test('an intersection is valid, and allows exactly what both policies allow', () => {
  fc.assert(
    fc.property(policies, policies, attributeSets, (one, other, attributes) => {
      const both = intersectPolicies(one, other);
      assert.ok(isValidPolicy(both));
      for (const operation of operations) {
        const allows = (policy: Policy) => compilePolicy(policy).allows(operation, attributes);
        assert.equal(allows(both), allows(one) && allows(other), operation);
      }
    }),
    { numRuns: 400 },
  );
});

test('an operation with too many joined rules is left out', () => {
  const rules = Array.from({ length: 400 }, (_, at) => ({
    'resource.id': { comparison: 'startsWith' as const, value: String(at) },
  }));
  const policy: Policy = { rules: { readData: rules, deleteData: true } };
  assert.deepEqual(intersectPolicies(policy, policy), { rules: { deleteData: true } });
});
