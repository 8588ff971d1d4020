import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopesToAsk } from './scopes.ts';

const guesses = ['system/*.read', 'system/*.rs'];

test('what a system lists is asked for first, for everything if it lists that, in its version', () => {
  for (const [listed, first] of [
    [['system/*.read'], 'system/*.read'],
    [['system/*.rs', 'system/*.read'], 'system/*.rs'],
    [['system/*.cruds', 'openid'], 'system/*.rs'],
    [['system/*.*'], 'system/*.read'],
    [['system/*.r', 'system/*.s'], 'system/*.rs'],
  ] as const)
    assert.equal(scopesToAsk({ scopes_supported: [...listed] })[0], first, String(listed));
});

test('of single types those that are taken are asked for, and everything when that is refused', () => {
  const listed = ['launch', 'system/Patient.rs', 'system/Observation.read', 'system/Claim.rs'];
  const reading = ['system/Condition.r', 'system/Procedure.cud', 'user/Specimen.rs', 'system/Media.rs?x=y'];
  assert.deepEqual(scopesToAsk({ scopes_supported: [...listed, ...reading] }), [
    'system/Observation.read system/Patient.rs',
    ...guesses,
  ]);
});

test('a system that lists none of ours is asked for everything, in the version that it has', () => {
  for (const silent of [{}, { scopes_supported: ['openid', 7] }, { scopes_supported: 'system/*.rs' }])
    assert.deepEqual(scopesToAsk(silent), guesses);
  assert.deepEqual(scopesToAsk({ capabilities: ['permission-v2'] }), guesses.toReversed());
  assert.deepEqual(scopesToAsk({ capabilities: ['permission-v2', 'permission-v1'] }), guesses);
});
