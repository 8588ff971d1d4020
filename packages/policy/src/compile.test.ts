import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attributes, type Comparison, compilePolicy, type Policy, validatePolicy } from './index.ts';

function allows(path: string, comparison: Comparison | boolean, attributes: Attributes): boolean {
  const policy: Policy = { rules: { readData: [{ [path]: comparison }] } };
  assert.deepEqual(validatePolicy(policy), []);
  return compilePolicy(policy).allows('readData', attributes);
}

/** operator, attribute, value: holds. */
const holding: [string, unknown, unknown][] = [
  ['equals', 'x', 'x'],
  ['equals', { a: [1], b: { c: 2 } }, { b: { c: 2 }, a: [1] }],
  ['equals', 0, -0],
  ['notEquals', 1, '1'],
  ['notEquals', [1, 2], [2, 1]],
  ['notEquals', [1], { 0: 1 }],
  ['notEquals', JSON.parse('{"__proto__":{}}'), { z: 1 }],
  ['includes', ['a', 'b'], 'b'],
  ['includes', [['a']], ['a']],
  ['notIncludes', ['a'], 'b'],
  ['notIncludes', [], 'b'],
  ['in', 'b', ['a', 'b']],
  ['in', { x: 1 }, ['a', { x: 1 }]],
  ['notIn', 'c', ['a', 'b']],
  ['superset', ['a', 'b', 'c'], ['c', 'a']],
  ['subset', ['c', 'a'], ['a', 'b', 'c']],
  ['startsWith', 'abc', 'ab'],
  ['endsWith', 'abc', 'bc'],
  ['prefixOf', 'ab', 'abc'],
  ['suffixOf', 'bc', 'abc'],
];

/** operator, attribute, value: does not hold, because of its value or because the sides are of the wrong kind. */
const failing: [string, unknown, unknown][] = [
  ['equals', 1, '1'],
  ['equals', [1, 2], [2, 1]],
  ['equals', { a: 1 }, { a: 1, b: 1 }],
  ['notEquals', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['includes', 'abc', 'b'],
  ['includes', { b: 1 }, 'b'],
  ['notIncludes', 'abc', 'z'],
  ['notIncludes', ['b'], 'b'],
  ['in', 'c', ['a', 'b']],
  ['in', 'a', []],
  ['notIn', 'a', ['a']],
  ['superset', ['a'], ['a', 'b']],
  ['superset', 'ab', ['a']],
  ['subset', ['a', 'z'], ['a', 'b']],
  ['startsWith', 1, '1'],
  ['startsWith', ['ab'], 'ab'],
  ['endsWith', 'abc', 'ab'],
  ['prefixOf', 'abc', 'ab'],
  ['suffixOf', 'abc', 'bc'],
];

test('each comparison holds and fails as documented, with a value and with a target', () => {
  const examples = [
    ...holding.map((one) => [one, true] as const),
    ...failing.map((one) => [one, false] as const),
  ];
  for (const [[comparison, attribute, value], wanted] of examples) {
    const attributes = { resource: { x: attribute }, user: { y: value } };
    const withValue = { comparison, value } as Comparison;
    const withTarget = { comparison, target: 'user.y' } as Comparison;
    const text = `${JSON.stringify(attribute)} ${comparison} ${JSON.stringify(value)}`;
    assert.equal(allows('resource.x', withValue, attributes), wanted, text);
    assert.equal(allows('resource.x', withTarget, attributes), wanted, `${text} (target)`);
  }
});

test('a missing attribute or target never allows, also negated', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const missing = [
    undefined,
    null,
    Number.NaN,
    new Date(0),
    new Map([['x', 1]]),
    () => 1,
    Symbol('x'),
    1n,
    cyclic,
  ];
  for (const x of missing) {
    const attributes = { resource: { x }, user: { y: 'y', list: ['y'] } };
    for (const comparison of ['equals', 'notEquals', 'notIncludes', 'includes'] as const) {
      assert.equal(allows('resource.x', { comparison, value: 'y' }, attributes), false);
      assert.equal(allows('resource.x', { comparison, target: 'resource.x' }, attributes), false);
    }
    assert.equal(allows('resource.x', { comparison: 'notIn', value: ['y'] }, attributes), false);
    assert.equal(allows('resource.x', { comparison: 'in', value: ['y', null] }, attributes), false);
    assert.equal(allows('user.y', { comparison: 'notEquals', target: 'resource.x' }, attributes), false);
    assert.equal(allows('user.list', { comparison: 'notIncludes', target: 'resource.x' }, attributes), false);
    assert.equal(allows('resource.x', { comparison: 'exists' }, attributes), false);
  }
});

test('only own properties are attributes, never the prototype and never the inside of texts', () => {
  const inherited = Object.create({ secret: 'x' }) as object;
  const attributes = { user: { name: 'abc', groups: ['a', 'b'], proto: inherited, matrix: [['q']] } };
  const absent = [
    'user.constructor',
    'user.toString',
    'user.hasOwnProperty.name',
    'user.name.length',
    'user.name.0',
    'user.groups.length',
    'user.groups.2',
    'user.groups.-1',
    'user.groups.00',
    'user.groups.map',
    'user.proto.secret',
    'constructor',
    'toString',
  ];
  for (const path of absent) assert.equal(allows(path, { comparison: 'exists' }, attributes), false, path);
  assert.ok(allows('user.groups.1', { comparison: 'equals', value: 'b' }, attributes));
  assert.ok(allows('user.matrix.0.0', { comparison: 'equals', value: 'q' }, attributes));
  assert.ok(allows('user.toString', { comparison: 'equals', value: 'x' }, { user: { toString: 'x' } }));
});

test('operations are own names too: "toString" is never allowed', () => {
  const compiled = compilePolicy({ rules: { readData: true } });
  assert.ok(compiled.allows('readData', {}));
  for (const operation of ['toString', 'constructor', '__proto__', '', 'readdata', 'createData']) {
    assert.equal(compiled.allows(operation, {}), false, operation);
  }
});

test('a bare boolean is a constant, whatever the attribute', () => {
  assert.ok(allows('resource.x', true, {}));
  assert.ok(!allows('resource.x', false, { resource: { x: true } }));
});

test('a policy that is frozen can be used, and one that is changed later decides as before', () => {
  const frozen: Policy = { rules: { readData: [{ 'user.id': { comparison: 'in', value: ['a', ['b']] } }] } };
  Object.freeze(Object.freeze(frozen.rules)['readData']);
  assert.ok(compilePolicy(Object.freeze(frozen)).allows('readData', Object.freeze({ user: { id: 'a' } })));
  const nested = ['b'];
  const value = ['a', nested];
  const changing: Policy = { rules: { readData: [{ 'user.id': { comparison: 'in', value } }] } };
  const compiled = compilePolicy(changing);
  value.push('c', ['d']);
  nested.push('e');
  changing.rules['readData'] = true;
  assert.ok(!compiled.allows('readData', { user: { id: 'c' } }));
  assert.ok(!compiled.allows('readData', { user: { id: ['d'] } }));
  assert.ok(!compiled.allows('readData', { user: { id: ['b', 'e'] } }));
});

test('an invalid policy never allows, not even by its valid parts', () => {
  const broken = { rules: { readData: true, createData: [{}] } } as Policy;
  assert.equal(compilePolicy(broken).allows('readData', {}), false);
  assert.equal(compilePolicy(undefined as unknown as Policy).allows('readData', {}), false);
});

test('attributes that are no object are missing ones', () => {
  for (const attributes of [undefined, null, 'x', 1, []]) {
    assert.equal(allows('user.id', { comparison: 'exists' }, attributes as unknown as Attributes), false);
  }
});
