import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SmallDisk } from '../../../../../test/faults/small-disk.ts';
import { Scratch } from './scratch.ts';

test('a disk without room for a further file is reported as full', (context) => {
  const disk = SmallDisk.mount(4, 8);
  if (!disk) return context.skip('this process may not mount a small disk');
  context.after(() => disk.unmount());
  const scratch = new Scratch(join(disk.folder, 'scratch'));
  const fill = (): void => {
    for (let number = 0; number < 8; number += 1) mkdirSync(join(disk.folder, String(number)));
  };
  assert.throws(fill, { code: 'ENOSPC' });
  return assert.rejects(
    scratch.inFolder(async () => undefined),
    { status: 503, code: 'STORAGE_FULL' },
  );
});
