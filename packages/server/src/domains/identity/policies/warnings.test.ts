import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Policy, validatePolicy } from '@ploidy/policy';
import { describeApp } from '../../../../../../test/support/app.ts';
import { warningsOf } from './warnings.ts';

const groups = new Map([['g1', 'Masked readers']]);
const reported = (rules: Policy['rules']): string[] => {
  assert.deepEqual(validatePolicy({ rules }), []);
  return warningsOf({ rules }, groups).map(({ code, path, message }) => `${code} ${path} ${message}`);
};
const inGroup = { 'user.groups': { comparison: 'includes', value: 'g1' } } as const;

test('a policy with its intended meaning has no warning', () => {
  const equals = (value: string) => ({ comparison: 'equals', value }) as const;
  assert.deepEqual(
    reported({
      apiKeyUser: [inGroup],
      createData: [{ ...inGroup, 'resource.type': { comparison: 'in', value: ['file', 'cohort'] } }],
      readData: [
        { 'user.customAttributes.patients': { comparison: 'includes', target: 'resource.subject' } },
        { ...inGroup, 'resource.dataset': equals('p'), 'resource.type': equals('table') },
        { 'user.groups': { comparison: 'superset', value: ['g1'] } },
        { 'user.groups': { comparison: 'exists' }, 'resource.ownerId': equals('u') },
      ],
      accessAdmin: [{ ...inGroup, 'resource.type': equals('group'), 'resource.id': equals('g1') }],
      updateData: true,
    }),
    [],
  );
});

test('misspelt privileges and attributes are reported with a proposal', () => {
  const found = reported({
    readMaskedDta: [inGroup],
    readData: [{ 'resource.dataste': { comparison: 'equals', value: 'p' } }],
    createData: [{ 'resource.ownerId': { comparison: 'equals', target: 'user.ID' } }],
    'something else': true,
  });
  assert.match(found[0] ?? '', /UNKNOWN_PRIVILEGE rules\.readMaskedDta .* Did you mean readMaskedData\?/);
  assert.match(
    found[1] ?? '',
    /UNKNOWN_ATTRIBUTE .*\["resource\.dataste"\] .* Did you mean resource\.dataset/,
  );
  assert.match(found[2] ?? '', /UNKNOWN_ATTRIBUTE .*\.target .* Did you mean user\.id/);
  assert.match(found[3] ?? '', /UNKNOWN_PRIVILEGE rules\["something else"\] [^?]*$/);
  assert.equal(found.length, 4);
});

test('groups by name and unknown groups are reported, names with the id', () => {
  const found = reported({
    readData: [
      { 'user.groups': { comparison: 'includes', value: 'masked Readers' } },
      { 'user.groups': { comparison: 'superset', value: ['g1', 'gone'] } },
    ],
  });
  assert.match(found[0] ?? '', /name of a group; policies compare ids\. Write "g1"/);
  assert.match(found[1] ?? '', /UNKNOWN_GROUP .* no group "gone"/);
  assert.equal(found.length, 2);
});

test('rules that never hold are reported', () => {
  const rules: Record<string, Policy['rules'][string]> = {
    list: [{ 'resource.dataset': { comparison: 'includes', value: 'p' } }],
    empty: [{ 'resource.dataset': { comparison: 'in', value: [] } }],
    one: [{ 'user.groups': { comparison: 'equals', value: 'g1' } }],
    constant: [{ ...inGroup, 'resource.id': false }],
    type: [{ 'resource.type': { comparison: 'equals', value: 'fil' } }],
    several: [{ 'resource.type': { comparison: 'all', of: [{ comparison: 'in', value: ['project'] }] } }],
  };
  for (const [name, rule] of Object.entries(rules)) {
    const [only, ...others] = reported({ createData: rule });
    assert.match(only ?? '', /^NEVER_HOLDS /, name);
    assert.equal(others.length, 0, name);
  }
  assert.match(reported({ createData: rules['type'] ?? true })[0] ?? '', /Did you mean file\?/);
  assert.match(reported({ createData: rules['several'] ?? true })[0] ?? '', /on cohort, file, ingestion/);
  const ofProject = [{ 'resource.dataset': { comparison: 'equals', value: 'p' } }] as const;
  assert.match(reported({ apiKeyUser: [...ofProject] })[0] ?? '', /about the account/);
});

test('rules that hold for everybody are reported', () => {
  for (const rule of [{ 'user.id': true }, { 'user.id': { comparison: 'exists' }, 'x.y': true }] as const)
    assert.match(reported({ readData: [rule] })[0] ?? '', /^ALWAYS_HOLDS rules\.readData\[0\] /);
});

test('warnings of the largest policy are bounded', () => {
  const value = Array.from({ length: 90_000 }, (_, index) => `type ${index}`);
  assert.equal(reported({ readData: [{ 'resource.type': { comparison: 'in', value } }] }).length, 50);
});

describeApp('warnings about policies', (app) => {
  test('PUT, POST, preview and explain answer them, and name groups beside their ids', async () => {
    const group = (await app.call('POST', '/v1/account/groups', { body: { name: 'Masked' } })).body.id;
    const policyOf = (value: string) => ({
      rules: { readMaskedData: [{ 'user.groups': { comparison: 'includes', value } }] },
    });
    const body = { name: 'By name', policy: policyOf('Masked') };
    const made = await app.call('POST', '/v1/policies', { body });
    assert.equal(made.status, 200, made.text);
    assert.ok(made.body.warnings[0].message.includes(`Write "${group}"`), made.text);
    const asked = { privilege: 'readMaskedData', resource: { datset: 'p' } };
    const explain = () => app.call('POST', '/v1/policies/explain', { body: asked });
    const codes = ({ body }: { body: { warnings: { code: string }[] } }) =>
      body.warnings.map(({ code }) => code);
    assert.deepEqual(codes(await explain()), ['UNKNOWN_ATTRIBUTE', 'UNKNOWN_GROUP']);
    const path = `/v1/policies/${made.body.id}`;
    const changes = [{ replace: { policyId: made.body.id, policy: policyOf('Mask') } }];
    const preview = await app.call('POST', '/v1/policies/preview', { body: { changes } });
    assert.match(preview.body.warnings[0].path, /^changes\/0\/replace\/policy\.rules\.readMaskedData\[0\]/);
    const put = await app.call('PUT', path, { body: { policy: policyOf(group) } });
    assert.deepEqual([put.body.warnings, put.body.groups], [[], [{ id: group, name: 'Masked' }]]);
    assert.deepEqual((await app.call('GET', path)).body.groups, [{ id: group, name: 'Masked' }]);
    const [listed] = (await app.call('GET', '/v1/policies?name=By name')).body.items;
    assert.deepEqual(listed.groups, [{ id: group, name: 'Masked' }]);
    assert.ok((await explain()).body.because.join().includes(`"${group}" (Masked)`));
    const member = await app.people.member(app.account, []);
    const foreign = await app.call('POST', '/v1/policies/explain', { key: member.key, body: asked });
    assert.ok(!foreign.text.includes('Masked"') && !foreign.text.includes(group), foreign.text);
  });
});
