import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attributeSets, operations, policies } from './arbitraries.fixture.ts';
import { compilePolicy } from './compile.ts';
import { explain } from './explain.ts';
import { bindPolicy } from './join-conditions.ts';
import { mergePolicies } from './merge.ts';
import type { Attributes, Policy } from './policy.ts';
import { conditionsOf, reducePolicy } from './reduce.ts';
import { allowsByReference } from './reference.fixture.ts';
import { isValidPolicy, validatePolicy } from './validate.ts';

const runs = { numRuns: 1500 };

function decisions(policy: Policy, attributes: Attributes): boolean[] {
  const compiled = compilePolicy(policy);
  return operations.map((operation) => compiled.allows(operation, attributes));
}

function only(attributes: Attributes, roots: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([root]) => roots.includes(root)));
}

test('a compiled policy decides as the reference does', () => {
  fc.assert(
    fc.property(policies, attributeSets, (policy, attributes) => {
      assert.deepEqual(validatePolicy(policy), []);
      const wanted = operations.map((operation) => allowsByReference(policy, operation, attributes));
      assert.deepEqual(decisions(policy, attributes), wanted);
    }),
    runs,
  );
});

test('a reduced policy decides as the whole one, and without the attributes that were known', () => {
  const roots = fc.subarray(['user', 'resource', 'other']);
  fc.assert(
    fc.property(policies, attributeSets, roots, (policy, attributes, known) => {
      const reduced = reducePolicy(policy, only(attributes, known), known);
      const open = ['user', 'resource', 'other'].filter((root) => !known.includes(root));
      const wanted = decisions(policy, attributes);
      assert.ok(isValidPolicy(reduced));
      assert.deepEqual(decisions(reduced, attributes), wanted);
      assert.deepEqual(decisions(reduced, only(attributes, open)), wanted);
    }),
    runs,
  );
});

test('with everything known, what is allowed becomes true and the rest disappears', () => {
  fc.assert(
    fc.property(policies, attributeSets, (policy, attributes) => {
      const reduced = reducePolicy(policy, attributes, ['user', 'resource', 'other']);
      const wanted = decisions(policy, attributes);
      assert.deepEqual(
        operations.map((operation) => conditionsOf(reduced, operation)),
        wanted,
      );
    }),
    runs,
  );
});

test('the order of merging does not matter, and neither does reducing before or after', () => {
  const set = fc.array(policies, { maxLength: 4 });
  fc.assert(
    fc.property(set, attributeSets, ([...set], attributes) => {
      const wanted = decisions(mergePolicies(set), attributes);
      const known = only(attributes, ['user']);
      assert.deepEqual(decisions(mergePolicies(set.toReversed()), attributes), wanted);
      assert.deepEqual(decisions(mergePolicies(set.map((one) => mergePolicies([one]))), attributes), wanted);
      const reduced = set.map((one) => reducePolicy(one, known, ['user']));
      assert.deepEqual(decisions(mergePolicies(reduced), attributes), wanted);
      assert.deepEqual(decisions(reducePolicy(mergePolicies(set), known, ['user']), attributes), wanted);
    }),
    runs,
  );
});

test('adding a policy never removes a grant, and adds what that policy alone allows', () => {
  fc.assert(
    fc.property(policies, policies, attributeSets, (before, added, attributes) => {
      const alone = decisions(added, attributes);
      const wanted = decisions(before, attributes).map((allowed, index) => allowed || alone[index] === true);
      assert.deepEqual(decisions(mergePolicies([before, added]), attributes), wanted);
    }),
    runs,
  );
});

test('an explanation agrees with the decision', () => {
  const set = fc.array(policies, { maxLength: 3 });
  fc.assert(
    fc.property(set, attributeSets, (set, attributes) => {
      const named = set.map((policy, index) => ({ name: `P${index}`, policy }));
      const explained = operations.map((operation) => explain(named, operation, attributes));
      assert.deepEqual(
        explained.map(({ allowed }) => allowed),
        decisions(mergePolicies(set), attributes),
      );
      assert.ok(explained.every(({ reasons }) => reasons.length > 0));
    }),
    runs,
  );
});

// asvs: 1.5.2
test('arbitrary JSON never makes validation throw, and what is not valid never allows', () => {
  const near = fc.record({ rules: fc.dictionary(fc.string(), fc.jsonValue()) });
  const nearer = fc.record({
    rules: fc.record({ readData: fc.array(fc.dictionary(fc.string(), fc.jsonValue())) }),
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.anything(), near, nearer), attributeSets, (value, attributes) => {
      const faults = validatePolicy(value);
      assert.ok(faults.every(({ path, message }) => path !== '' && message !== ''));
      const policy = value as Policy;
      if (!isValidPolicy(value)) {
        assert.ok(faults.length > 0);
        assert.deepEqual(decisions(policy, attributes), [false, false, false]);
        assert.deepEqual(mergePolicies([policy]), { rules: {} });
        assert.deepEqual(reducePolicy(policy, attributes), { rules: {} });
        assert.equal(explain([{ name: 'P', policy }], 'readData', attributes).allowed, false);
      }
    }),
    runs,
  );
});

test('a bound policy allows what the policy allows, and only where the attribute has the value', () => {
  const places = fc.constantFrom('resource.id', 'resource.dataset', 'other.id');
  fc.assert(
    fc.property(
      policies,
      attributeSets,
      places,
      fc.constantFrom('a', 'ab', 1),
      (policy, attributes, path, value) => {
        const bound = bindPolicy(policy, path, value);
        assert.ok(isValidPolicy(bound));
        const there = { rules: { it: [{ [path]: { comparison: 'equals', value } }] } } satisfies Policy;
        const applies = compilePolicy(there).allows('it', attributes);
        assert.deepEqual(
          decisions(bound, attributes),
          decisions(policy, attributes).map((allowed) => allowed && applies),
        );
      },
    ),
    runs,
  );
});

test('an explanation with a settled root decides as without', () => {
  fc.assert(
    fc.property(policies, attributeSets, (policy, attributes) => {
      for (const operation of operations) {
        const { allowed } = explain([{ name: 'P', policy }], operation, attributes, ['user']);
        assert.equal(allowed, explain([{ name: 'P', policy }], operation, attributes).allowed);
      }
    }),
    runs,
  );
});
