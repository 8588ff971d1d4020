import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Comparison,
  compilePolicy,
  conditionsOf,
  mergePolicies,
  type Operator,
  type Policy,
  type Rule,
  reducePolicy,
} from './index.ts';

const user = {
  id: 'u1',
  groups: ['users', 'oncology'],
  patients: ['p1', 'p2'],
  none: [],
  file: 'reports/a.txt',
};

function reduced(...rules: Rule[]): boolean | Rule[] {
  return conditionsOf(reducePolicy({ rules: { readData: rules } }, { user }, ['user']), 'readData');
}

test('known attributes are removed: rules that cannot hold, comparisons that hold', () => {
  const dataset: Comparison = { comparison: 'equals', value: 'd1' };
  const group = (value: string): Comparison => ({ comparison: 'includes', value });
  assert.deepEqual(
    reduced(
      { 'user.groups': group('users'), 'resource.dataset': dataset },
      { 'user.groups': group('cardiology'), 'resource.type': { comparison: 'exists' } },
    ),
    [{ 'resource.dataset': dataset }],
  );
  assert.equal(reduced({ 'user.groups': group('users') }, { 'resource.dataset': dataset }), true);
  assert.equal(reduced({ 'user.groups': group('cardiology') }), false);
  assert.equal(reduced({ 'resource.dataset': dataset, 'user.missing': { comparison: 'exists' } }), false);
  assert.equal(reduced({ 'resource.dataset': dataset, 'user.id': false }), false);
  assert.equal(reduced({ 'resource.dataset': true }), true);
});

test('an operation that cannot hold disappears, one that always holds becomes true', () => {
  const policy: Policy = {
    rules: {
      readData: [{ 'user.id': { comparison: 'equals', value: 'u1' } }],
      createData: [{ 'user.id': { comparison: 'equals', value: 'u2' } }],
      apiKeyUser: true,
    },
  };
  assert.deepEqual(reducePolicy(policy, { user }), { rules: { readData: true, apiKeyUser: true } });
});

test('a comparison is turned round when only its target is unknown', () => {
  const turned: [string, Operator, string, Comparison][] = [
    ['user.patients', 'includes', 'resource.subject', { comparison: 'in', value: ['p1', 'p2'] }],
    ['user.patients', 'notIncludes', 'resource.subject', { comparison: 'notIn', value: ['p1', 'p2'] }],
    ['user.id', 'equals', 'resource.ownerId', { comparison: 'equals', value: 'u1' }],
    ['user.id', 'notEquals', 'resource.ownerId', { comparison: 'notEquals', value: 'u1' }],
    ['user.id', 'in', 'resource.readers', { comparison: 'includes', value: 'u1' }],
    ['user.id', 'notIn', 'resource.readers', { comparison: 'notIncludes', value: 'u1' }],
    ['user.groups', 'superset', 'resource.labels', { comparison: 'subset', value: ['users', 'oncology'] }],
    ['user.groups', 'subset', 'resource.labels', { comparison: 'superset', value: ['users', 'oncology'] }],
    ['user.file', 'startsWith', 'resource.folder', { comparison: 'prefixOf', value: 'reports/a.txt' }],
    ['user.file', 'prefixOf', 'resource.name', { comparison: 'startsWith', value: 'reports/a.txt' }],
    ['user.file', 'endsWith', 'resource.type', { comparison: 'suffixOf', value: 'reports/a.txt' }],
    ['user.file', 'suffixOf', 'resource.name', { comparison: 'endsWith', value: 'reports/a.txt' }],
  ];
  for (const [path, comparison, target, wanted] of turned) {
    assert.deepEqual(reduced({ [path]: { comparison, target } }), [{ [target]: wanted }], comparison);
  }
});

test('a target that is known becomes a value; one of the wrong kind, or missing, never holds', () => {
  const asked = (comparison: Operator, target: string): boolean | Rule[] =>
    reduced({ 'resource.x': { comparison, target } });
  assert.deepEqual(asked('in', 'user.patients'), [
    { 'resource.x': { comparison: 'in', value: ['p1', 'p2'] } },
  ]);
  assert.equal(asked('in', 'user.id'), false);
  assert.equal(asked('startsWith', 'user.groups'), false);
  assert.equal(asked('notEquals', 'user.missing'), false);
  assert.equal(asked('in', 'user.none'), false);
  const open: Rule = { 'resource.x': { comparison: 'equals', target: 'resource.y' } };
  assert.deepEqual(reduced(open), [open]);
});

test('two comparisons that end at the same attribute become one', () => {
  const includes: Comparison = { comparison: 'includes', target: 'resource.subject' };
  assert.deepEqual(
    reduced({ 'user.patients': includes, 'resource.subject': { comparison: 'notEquals', value: 'p1' } }),
    [{ 'resource.subject': { comparison: 'equals', value: 'p2' } }],
  );
  assert.deepEqual(reduced({ 'user.patients': includes, 'resource.subject': { comparison: 'exists' } }), [
    { 'resource.subject': { comparison: 'in', value: ['p1', 'p2'] } },
  ]);
  assert.equal(reduced({ 'user.patients': includes, 'user.groups': includes }), false);
  assert.deepEqual(
    reduced({
      'user.file': { comparison: 'startsWith', target: 'resource.name' },
      'resource.name': { comparison: 'endsWith', value: '/' },
    }),
    [
      {
        'resource.name': {
          comparison: 'all',
          of: [
            { comparison: 'prefixOf', value: 'reports/a.txt' },
            { comparison: 'endsWith', value: '/' },
          ],
        },
      },
    ],
  );
});

test('rules that become the same are kept once', () => {
  const rule = (group: string): Rule => ({
    'user.groups': { comparison: 'includes', value: group },
    'resource.dataset': { comparison: 'equals', value: 'd1' },
  });
  assert.deepEqual(reduced(rule('users'), rule('oncology')), [
    { 'resource.dataset': { comparison: 'equals', value: 'd1' } },
  ]);
});

test('a known root without attributes means that they are missing, an unknown one that they are open', () => {
  const policy: Policy = { rules: { readData: [{ 'user.id': { comparison: 'notEquals', value: 'x' } }] } };
  assert.deepEqual(reducePolicy(policy, {}, ['user']), { rules: {} });
  assert.deepEqual(reducePolicy(policy, {}), policy);
  assert.deepEqual(reducePolicy(policy, { resource: {} }), policy);
});

test('a result shares nothing with what it was made from', () => {
  const patients = ['p1'];
  const policy: Policy = {
    rules: { readData: [{ 'user.patients': { comparison: 'includes', target: 'resource.subject' } }] },
  };
  const result = reducePolicy(policy, { user: { patients } });
  patients.push('p2');
  assert.equal(compilePolicy(result).allows('readData', { resource: { subject: 'p2' } }), false);
});

test('a user with very many patients is decided and intersected in one look-up each', () => {
  const many = Array.from({ length: 200_000 }, (_, n) => `p${n}`);
  const policy: Policy = {
    rules: {
      readData: [
        {
          'user.patients': { comparison: 'includes', target: 'resource.subject' },
          'user.consented': { comparison: 'includes', target: 'resource.subject' },
        },
      ],
    },
  };
  const result = reducePolicy(policy, { user: { patients: many, consented: many.slice(1) } });
  const compiled = compilePolicy(result);
  assert.equal(compiled.allows('readData', { resource: { subject: 'p199999' } }), true);
  assert.equal(compiled.allows('readData', { resource: { subject: 'p0' } }), false);
});

test('merging keeps equal rules once, and true wins', () => {
  const one: Policy = {
    rules: { readData: [{ a: { comparison: 'equals', value: { x: 1, y: 2 } }, b: true }] },
  };
  const same: Policy = {
    rules: { readData: [{ b: true, a: { value: { y: 2, x: 1 }, comparison: 'equals' } }] },
  };
  assert.deepEqual(mergePolicies([one, same]), one);
  assert.deepEqual(mergePolicies([one, { rules: { readData: true } }, same]), { rules: { readData: true } });
  assert.deepEqual(mergePolicies([]), { rules: {} });
  assert.deepEqual(mergePolicies([one, { rules: { readData: [] } }]), one);
});

test('an operation that the policy does not name is denied', () => {
  assert.equal(conditionsOf({ rules: {} }, 'readData'), false);
  assert.equal(conditionsOf({ rules: {} }, 'toString'), false);
  assert.equal(conditionsOf({ rules: { readData: true } }, 'readData'), true);
  assert.equal(conditionsOf({ rules: { readData: [] } }, 'readData'), false);
});
