import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../../test/support/until.ts';
import { readRows, rowBytes } from './row-file.ts';

const handles = '/proc/self/fd';

function pathOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-rows-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'rows.gz');
}

/** Yields rows for a file longer than one read. */
async function* batches(): AsyncGenerator<unknown[][]> {
  for (let batch = 0; batch < 40; batch += 1)
    yield Array.from({ length: 100 }, (_, row) => [batch, row, randomBytes(256).toString('base64')]);
}

/** Writes rows into a file; returns their number. */
async function writeRows(path: string, rows: AsyncIterable<unknown[][]>): Promise<number> {
  const { bytes, count } = rowBytes(rows);
  await pipeline(bytes, createWriteStream(path));
  return count();
}

function isOpen(path: string): boolean {
  return readdirSync(handles).some((name) => {
    try {
      return readlinkSync(join(handles, name)) === path;
    } catch {
      // Closed since the folder was listed.
      return false;
    }
  });
}

test('rows are read as they were written', async (context) => {
  const path = pathOf(context);
  const written: unknown[][] = [];
  const noted = async function* () {
    for await (const rows of batches()) {
      written.push(...rows);
      yield rows;
    }
  };
  assert.equal(await writeRows(path, noted()), written.length);
  assert.deepEqual((await Array.fromAsync(readRows(createReadStream(path)))).flat(), written);
});

test('rows that fail reject the writer', async (context) => {
  const failing = async function* (): AsyncGenerator<unknown[][]> {
    yield [[1]];
    throw new Error('the records went away');
  };
  await assert.rejects(writeRows(pathOf(context), failing()), /the records went away/);
});

test('a missing or truncated file rejects its reader and does not end the process', async (context) => {
  const path = pathOf(context);
  await assert.rejects(Array.fromAsync(readRows(createReadStream(path))), { code: 'ENOENT' });
  await writeRows(path, batches());
  truncateSync(path, statSync(path).size - 100);
  await assert.rejects(Array.fromAsync(readRows(createReadStream(path))), { code: 'Z_BUF_ERROR' });
});

test('a reader that stops early leaves no file open', { skip: !existsSync(handles) }, async (context) => {
  const path = pathOf(context);
  await writeRows(path, batches());
  for await (const rows of readRows(createReadStream(path))) {
    assert.ok(rows.length > 0 && isOpen(path));
    break;
  }
  await until(() => !isOpen(path), 'the file is closed');
});
