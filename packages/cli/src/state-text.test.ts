import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateText } from './state-text.ts';

test('work that waits shows its position instead of its state', () => {
  assert.equal(stateText({ state: 'running', waiting: { position: 3 } }), 'waiting, position 3');
  assert.equal(stateText({ state: 'running' }), 'running');
});
