import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy, mergePolicies, type Policy, policyLimits, validatePolicy } from './index.ts';

const paths = (value: unknown): string[] => validatePolicy(value).map(({ path }) => path);
const readData = (grant: unknown): unknown => ({ rules: { readData: grant } });
const asked = (comparison: unknown): unknown => readData([{ 'resource.dataset': comparison }]);
const at = 'rules.readData[0]["resource.dataset"]';

test('the forms of the specification are valid', () => {
  const policy = {
    rules: {
      apiKeyUser: true,
      createData: [{ 'resource.dataset': { comparison: 'equals', value: 'x' } }],
      readData: [
        {
          'user.groups': { comparison: 'includes', value: 'g' },
          'resource.dataset': { comparison: 'exists' },
        },
        { 'user.customAttributes.sites': { comparison: 'superset', value: ['a', 'b'] } },
        { 'resource.subject': { comparison: 'equals', target: 'user.id' }, 'resource.public': true },
      ],
    },
  };
  assert.deepEqual(validatePolicy(policy), []);
  assert.deepEqual(validatePolicy({ rules: {} }), []);
});

test('every error has its path', () => {
  const value = {
    rules: {
      readData: [{}, { 'resource.dataset': { comparison: 'equal', value: 'x' } }, 'all'],
      createData: [],
      deleteData: false,
      'update\ndata': true,
      auditRead: [{ 'user..id': { comparison: 'superset', value: 'x', extra: 1 }, user: 1 }],
    },
    name: 'x',
  };
  assert.deepEqual(paths(value), [
    'name',
    'rules.readData[0]',
    'rules.readData[1]["resource.dataset"].comparison',
    'rules.readData[2]',
    'rules.createData',
    'rules.deleteData',
    'rules["update\\ndata"]',
    'rules.auditRead[0]["user..id"]',
    'rules.auditRead[0]["user..id"].extra',
    'rules.auditRead[0]["user..id"].value',
    'rules.auditRead[0].user',
  ]);
});

test('a comparison that would hold for everybody is refused, as an empty rule is', () => {
  for (const [comparison, value] of [
    ['superset', []],
    ['notIn', []],
    ['startsWith', ''],
    ['endsWith', ''],
  ]) {
    assert.deepEqual(paths(asked({ comparison, value })), [`${at}.value`], String(comparison));
    assert.deepEqual(
      paths(asked({ comparison: 'all', of: [{ comparison, value }] })),
      [`${at}.of[0].value`],
      String(comparison),
    );
  }
  assert.deepEqual(paths(asked({ comparison: 'subset', value: [] })), [], 'only the empty list is within');
});

test('a value that is no policy is refused', () => {
  for (const value of [undefined, null, 1, 'x', [], {}, [{ rules: {} }], Object.create({ rules: {} })]) {
    assert.deepEqual(paths(value), ['rules'], String(value));
  }
  assert.deepEqual(paths({ rules: [] }), ['rules']);
});

test('a comparison has exactly the fields of its form', () => {
  assert.deepEqual(paths(asked({ comparison: 'equals' })), [at]);
  assert.deepEqual(paths(asked({ comparison: 'equals', value: 'x', target: 'user.id' })), [at]);
  assert.deepEqual(paths(asked({ comparison: 'exists', value: true })), [`${at}.value`]);
  assert.deepEqual(paths(asked({ comparison: 'toString', value: 'x' })), [`${at}.comparison`]);
  assert.deepEqual(paths(asked({ value: 'x' })), [`${at}.comparison`]);
  assert.deepEqual(paths(asked({ comparison: 'equals', target: '' })), [`${at}.target`]);
  assert.deepEqual(paths(asked({ comparison: 'equals', target: ['user.id'] })), [`${at}.target`]);
  assert.deepEqual(paths(asked({ comparison: 'all', of: [] })), [`${at}.of`]);
  assert.deepEqual(paths(asked({ comparison: 'all', of: [{ comparison: 'all', of: [] }] })), [
    `${at}.of[0].comparison`,
  ]);
  assert.deepEqual(paths(asked(Object.assign(Object.create({ value: 'x' }), { comparison: 'equals' }))), [
    at,
  ]);
});

test('a value of the wrong kind is a fault', () => {
  const wrong: [string, unknown][] = [
    ['equals', null],
    ['equals', undefined],
    ['equals', Number.NaN],
    ['includes', null],
    ['in', 'x'],
    ['notIn', {}],
    ['superset', 'x'],
    ['subset', { 0: 'x', length: 1 }],
    ['startsWith', 1],
    ['suffixOf', ['x']],
    ['equals', new Date(0)],
    ['equals', () => 1],
    ['in', new Array(3)],
  ];
  for (const [comparison, value] of wrong) {
    assert.deepEqual(paths(asked({ comparison, value })), [`${at}.value`], comparison);
  }
});

test('names that reach for the prototype are refused or plain names', () => {
  assert.deepEqual(paths(JSON.parse('{"rules":{"__proto__":true}}')), ['rules.__proto__']);
  assert.deepEqual(paths(JSON.parse('{"__proto__":{"rules":{}}}')), ['rules']);
  const attribute = JSON.parse('{"rules":{"readData":[{"user.__proto__.x":true,"__proto__":true}]}}');
  assert.equal(paths(attribute).length, 2);
  assert.deepEqual(paths({ rules: { constructor: true, toString: true } }), []);
});

test('too large, too deep or cyclic input is refused quickly', () => {
  const many = (count: number, item: unknown): unknown[] => new Array(count).fill(item);
  const rule = { 'user.id': true };
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  let shared: unknown = 'x';
  for (let depth = 0; depth < 8; depth++) shared = many(100, shared);
  let deep: unknown = 'x';
  for (let depth = 0; depth <= policyLimits.depthMax; depth++) deep = [deep];
  assert.deepEqual(paths(readData(many(policyLimits.rulesMax, rule))), []);
  assert.deepEqual(paths(readData(many(policyLimits.rulesMax + 1, rule))), ['rules.readData']);
  for (const value of [cyclic, shared, deep]) {
    assert.deepEqual(paths(asked({ comparison: 'equals', value })), [`${at}.value`]);
  }
  const wide = Object.fromEntries(
    many(policyLimits.comparisonsMax + 1, true).map((yes, n) => [`user.a${n}`, yes]),
  );
  assert.deepEqual(paths(readData([wide])), ['rules.readData[0]']);
  const operations = Object.fromEntries(
    many(policyLimits.operationsMax + 1, true).map((yes, n) => [`o${n}`, yes]),
  );
  assert.deepEqual(paths({ rules: operations }), ['rules']);
  assert.deepEqual(paths(asked({ comparison: 'in', value: many(policyLimits.sizeMax, 'x') })), ['rules']);
  assert.deepEqual(paths(asked({ comparison: 'equals', value: 'x'.repeat(64 * policyLimits.sizeMax) })), [
    'rules',
  ]);
  assert.equal(paths(readData(many(500, {}))).length, policyLimits.faultsMax);
  const long = `user.${'x'.repeat(300)}`;
  const [fault] = validatePolicy(readData([{ [long]: true }]));
  assert.ok(fault && fault.path.length < 150);
  assert.deepEqual(paths(asked({ comparison: 'equals', target: long })), [`${at}.target`]);
});

test('a merged policy may be larger than what may be saved', () => {
  const policyOf = (n: number): Policy => ({
    rules: { readData: [{ 'resource.dataset': { comparison: 'equals', value: `p${n}` } }] },
  });
  const merged = mergePolicies(Array.from({ length: policyLimits.rulesMax + 1 }, (_, n) => policyOf(n)));
  assert.equal(validatePolicy(merged).length, 1);
  const compiled = compilePolicy(merged);
  assert.ok(compiled.allows('readData', { resource: { dataset: 'p1000' } }));
  assert.ok(!compiled.allows('readData', { resource: { dataset: 'p1001' } }));
});
