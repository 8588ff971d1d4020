import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError } from './client-error.ts';
import { tarBytes } from './tar.ts';

const entry = (name: string, text: string, size = text.length) => ({
  name,
  size,
  async *read() {
    yield Buffer.from(text);
  },
});

/** Reads an archive with names of any length (POSIX `ustar`, GNU long names), and requires each checksum. */
function filesIn(archive: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  let longName: string | undefined;
  for (let at = 0; archive[at] !== 0; ) {
    const block = Buffer.from(archive.subarray(at, at + 512));
    const [sum, size] = [148, 124].map((place) =>
      Number.parseInt(block.toString('latin1', place, place + 11), 8),
    );
    block.fill(' ', 148, 156);
    assert.equal(
      block.reduce((total, byte) => total + byte, 0),
      sum,
    );
    const content = archive.toString('utf8', at + 512, at + 512 + (size ?? 0));
    const name = longName ?? block.toString('utf8', 0, 100).replace(/\0.*$/, '');
    if (block.toString('latin1', 156, 157) === 'L') longName = content;
    else {
      found[name] = content;
      longName = undefined;
    }
    at += 512 + Math.ceil((size ?? 0) / 512) * 512;
  }
  return found;
}

test('an archive has each file with its name and bytes', async () => {
  const files = {
    'study/meta_study.txt': 'name: A\n',
    [`${'long/'.repeat(40)}ü.txt`]: 'x'.repeat(1024),
    empty: '',
  };
  const entries = Object.entries(files).map(([name, text]) => entry(name, text));
  const archive = Buffer.concat(await Array.fromAsync(tarBytes(entries)));
  assert.equal(archive.length % 512, 0);
  assert.deepEqual(filesIn(archive), files);
});

test('a file that is shorter than its size is refused', async () => {
  await assert.rejects(
    Array.fromAsync(tarBytes([entry('a', 'text', 9)])),
    (error) => error instanceof ClientError && error.code === 'FILE_CHANGED',
  );
});
