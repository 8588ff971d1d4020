import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { testOnStores } from './stores.fixture.ts';

testOnStores(
  'who holds copies cannot ask for more, which might never come; afterwards he can',
  async ({ blobs }) => {
    const one = await blobs.put(Readable.from(['one']));
    const two = await blobs.put(Readable.from(['two']));
    const nested = blobs.withLocal([one], async () => {
      await pause(1);
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
