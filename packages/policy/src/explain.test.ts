import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attributes, explain, type NamedPolicy, type Policy, type Rule } from './index.ts';

const dataset: Rule = {
  'user.groups': { comparison: 'includes', value: 'g1' },
  'resource.dataset': { comparison: 'equals', value: 'd1' },
};
const subject: Rule = { 'user.patients': { comparison: 'includes', target: 'resource.subject' } };
const named: NamedPolicy[] = [
  { name: 'P', policy: { rules: { readData: [subject, dataset] } } },
  { name: 'Q', policy: { rules: { readData: [dataset], apiKeyUser: true } } },
];

test('an allowed operation names each policy and rule that allows it', () => {
  const attributes: Attributes = { user: { groups: ['g1'] }, resource: { dataset: 'd1' } };
  assert.deepEqual(explain(named, 'readData', attributes), {
    allowed: true,
    reasons: ['allowed by policy P, rule 2', 'allowed by policy Q, rule 1'],
  });
  assert.deepEqual(explain(named, 'apiKeyUser', {}), {
    allowed: true,
    reasons: ['allowed by policy Q, without conditions'],
  });
});

test('a denied operation names what each rule is missing, and no value of an attribute', () => {
  const attributes: Attributes = {
    user: { patients: ['secret-1'] },
    resource: { dataset: 'secret-2', subject: 'p' },
  };
  assert.deepEqual(explain(named, 'readData', attributes), {
    allowed: false,
    reasons: [
      'denied: `user.patients` does not include `resource.subject` (policy P, rule 1)',
      'denied: `user.groups` is missing, and `resource.dataset` is not equal to "d1" (policy P, rule 2)',
      'denied: `user.groups` is missing, and `resource.dataset` is not equal to "d1" (policy Q, rule 1)',
    ],
  });
  assert.deepEqual(
    explain(named, 'readData', { user: { patients: [] } }).reasons[0],
    'denied: `resource.subject` is missing (policy P, rule 1)',
  );
});

test('an operation that no policy names is denied, and so is one of an invalid policy', () => {
  assert.deepEqual(explain(named, 'auditRead', {}).reasons, ['denied: no policy has a rule for auditRead']);
  const broken: Policy = { rules: { readData: [{}] } };
  const { allowed, reasons } = explain([{ name: 'B', policy: broken }], 'readData', {});
  assert.equal(allowed, false);
  assert.match(reasons.join(), /^denied: policy B is not valid: rules\.readData\[0\] must not be empty/);
});

test('an explanation stays short, however many rules and values there are', () => {
  const value = Array.from({ length: 10_000 }, (_, n) => `d${n}`);
  const rules: Rule[] = value.slice(0, 500).map((_, n) => ({
    'resource.dataset': { comparison: 'in', value },
    'user.n': { comparison: 'equals', value: n },
  }));
  const { reasons } = explain([{ name: 'P', policy: { rules: { readData: rules } } }], 'readData', {
    resource: { dataset: 'x' },
  });
  assert.equal(reasons.length, 101);
  assert.equal(reasons.at(-1), '… and 400 more');
  assert.ok(reasons.every((reason) => reason.length < 300));
});

test('with a settled root only rules that may hold are listed, under their own numbers', () => {
  const foreign: Rule = { 'user.id': { comparison: 'equals', value: 'somebody else' } };
  const policies: NamedPolicy[] = [
    { name: 'Foreign', policy: { rules: { readData: [foreign] } } },
    { name: 'P', policy: { rules: { readData: [foreign, dataset] } } },
    { name: 'Broken', policy: { rules: { readData: [{}] } } },
  ];
  const attributes: Attributes = { user: { id: 'me', groups: ['g1'] }, resource: { dataset: 'd2' } };
  assert.deepEqual(explain(policies, 'readData', attributes, ['user']).reasons, [
    'denied: `resource.dataset` is not equal to "d1" (policy P, rule 2)',
  ]);
  const nobody: Attributes = { user: { id: 'me' }, resource: { dataset: 'd1' } };
  assert.deepEqual(explain(policies, 'readData', nobody, ['user']).reasons, [
    'denied: no policy has a rule for readData',
  ]);
});
