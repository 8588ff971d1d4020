import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundSync } from './background-sync.ts';

function syncs() {
  const begun: PromiseWithResolvers<void>[] = [];
  const sync = new BackgroundSync(() => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    return one.promise;
  }, 100);
  return { begun, sync };
}

test('a file is synced again once there is enough more of it, never twice at a time', async () => {
  const { begun, sync } = syncs();
  sync.add(99);
  assert.equal(begun.length, 0);
  sync.add(1);
  sync.add(500);
  assert.equal(begun.length, 1);
  begun[0]?.resolve();
  await sync.ended();
  sync.add(0);
  assert.equal(begun.length, 2);
});

test('a failed sync is reported at the end, and no other failure hides it', async () => {
  const { begun, sync } = syncs();
  sync.add(100);
  begun[0]?.reject(new Error('no space left'));
  await new Promise(setImmediate);
  sync.add(1000);
  assert.equal(begun.length, 1);
  await assert.rejects(sync.ended(), /no space left/);
});
