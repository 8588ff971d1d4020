import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MadeFiles } from './made-files.ts';

describe('files that requests share', () => {
  let folder: string;
  let made = 0;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ploidy-made-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const opened = (): MadeFiles =>
    new MadeFiles({
      scratchPath: async () => {
        made += 1;
        return join(folder, `${made}.parquet`);
      },
      discardScratch: async (path) => rmSync(path, { force: true }),
    });
  const needed = (key: string) => ({
    key,
    make: async (path: string) => {
      writeFileSync(path, key);
      return key.length;
    },
  });
  /** Lends the files of these keys, and returns their paths. */
  const lend = (files: MadeFiles, ...keys: string[]): Promise<string[]> =>
    files.lend(keys.map(needed), async (paths) => paths);

  test('a file is lent to later requests, until its key is dropped', async () => {
    const files = opened();
    const [path = '', other = ''] = await lend(files, 'p1/a', 'p2/a');
    assert.deepEqual(await lend(files, 'p1/a'), [path]);
    await files.drop((key) => key.startsWith('p1/'));
    assert.deepEqual([existsSync(path), existsSync(other)], [false, true]);
    const [again = ''] = await lend(files, 'p1/a');
    assert.notEqual(again, path);
    assert.ok(existsSync(again));
  });

  test('a file that is read when it is dropped goes with its last reader', async () => {
    const files = opened();
    let path = '';
    await files.lend([needed('p1/a')], async ([first = '']) => {
      path = first;
      await files.drop(() => true);
      assert.ok(existsSync(path), 'it is still read');
      const [second] = await lend(files, 'p1/a');
      assert.notEqual(second, path, 'a later request makes its own');
      assert.ok(existsSync(path));
    });
    assert.equal(existsSync(path), false);
  });
});
