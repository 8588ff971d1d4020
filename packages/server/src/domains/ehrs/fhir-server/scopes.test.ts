import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopesToAsk, typesBeyond } from './scopes.ts';

const guesses = ['system/*.read', 'system/*.rs'];

test('listed scopes are requested first, for everything if listed, in the listed version', () => {
  for (const [listed, first] of [
    [['system/*.read'], 'system/*.read'],
    [['system/*.rs', 'system/*.read'], 'system/*.rs'],
    [['system/*.cruds', 'openid'], 'system/*.rs'],
    [['system/*.*'], 'system/*.read'],
    [['system/*.r', 'system/*.s'], 'system/*.rs'],
  ] as const)
    assert.equal(scopesToAsk({ scopes_supported: [...listed] })[0], first, String(listed));
});

test('after everything is refused, the listed types are requested, then no scope', () => {
  const listed = ['launch', 'system/Patient.rs', 'system/Observation.cruds', 'system/Claim.rs'];
  const reading = ['system/Condition.r', 'system/Procedure.cud', 'user/Specimen.rs', 'system/Media.rs?x=y'];
  const some = 'system/Observation.rs system/Patient.rs';
  assert.deepEqual(scopesToAsk({ scopes_supported: [...listed, ...reading] }), [...guesses, some, '']);
  assert.deepEqual(scopesToAsk({ scopes_supported: ['system/*.rs', ...listed] }), [
    'system/*.rs',
    'system/*.read',
    some,
    '',
  ]);
});

test('one request uses one version, first that of more types', () => {
  const listed = ['system/Patient.rs', 'system/Observation.read', 'system/Condition.read', 'system/Media.*'];
  assert.deepEqual(scopesToAsk({ scopes_supported: listed }).slice(2), [
    'system/Condition.read system/Media.read system/Observation.read',
    'system/Patient.rs',
    '',
  ]);
  const both = ['system/Patient.rs', 'system/Patient.read'];
  assert.deepEqual(scopesToAsk({ scopes_supported: both }).slice(2), [
    'system/Patient.rs',
    'system/Patient.read',
    '',
  ]);
});

test('without listed scopes everything is requested in the known version, then no scope', () => {
  for (const silent of [{}, { scopes_supported: ['openid', 7] }, { scopes_supported: 'system/*.rs' }])
    assert.deepEqual(scopesToAsk(silent), [...guesses, '']);
  assert.deepEqual(scopesToAsk({ capabilities: ['permission-v2'] }), [...guesses.toReversed(), '']);
  assert.deepEqual(scopesToAsk({ capabilities: ['permission-v2', 'permission-v1'] }), [...guesses, '']);
});

test('types outside the granted scope are listed if it is a SMART scope', () => {
  const types = ['Patient', 'Observation', 'Condition', 'Media'];
  for (const whole of [
    'system/*.read',
    'openid system/*.cruds',
    'system/*.r system/*.s',
    '',
    'email profile',
  ])
    assert.deepEqual(typesBeyond(whole, types), [], whole);
  const part =
    'system/Patient.read system/Observation.rs?category=laboratory system/Condition.r user/Media.read';
  assert.deepEqual(typesBeyond(part, types), ['Condition', 'Media']);
});
