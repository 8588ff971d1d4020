import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { testOnStores } from './stores.fixture.ts';

testOnStores(
  'work that holds local copies is refused further ones until it has released them',
  async ({ blobs }) => {
    const one = await blobs.put(Readable.from(['one']));
    const two = await blobs.put(Readable.from(['two']));
    const nested = blobs.withLocal([one], async () => {
      await nextTurn();
      return blobs.withLocal([two], async (paths) => paths.length);
    });
    await assert.rejects(nested, /copies were asked for by work that holds some already/);
    const [first, second] = await Promise.all([
      blobs.withLocal([one, two], async (paths) => paths.length),
      blobs.withLocal([two], async (paths) => paths.length),
    ]);
    assert.deepEqual([first, second], [2, 1]);
  },
);
