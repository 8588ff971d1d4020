import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, describe, test } from 'node:test';
import { checkLastLine, LineLengths, LongLine } from './line-lengths.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-lines-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fits = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof LongLine) return false;
    throw error;
  }
};

describe('a line that is too long is found', () => {
  const bytesMax = 200_000;
  const long = 'x'.repeat(bytesMax + 1);
  const exact = 'y'.repeat(bytesMax);

  test('at the end of a file, whatever line ends follow', async () => {
    const path = join(folder, 'text');
    for (const [text, expected] of [
      ['', true],
      ['\n\n', true],
      [exact, true],
      [`a\n${exact}\r\n`, true],
      [long, false],
      [`a\nb\n${long}`, false],
      [`a\n${long}\n`, false],
      [`a\n${long}\r\n\n${'\n'.repeat(70_000)}`, false],
      [`${long}\nshort\n`, true],
    ] as const) {
      writeFileSync(path, text);
      assert.equal(await fits(checkLastLine(path, bytesMax)), expected, `${text.length} bytes`);
    }
  });

  test('anywhere in a stream, whatever its chunks', async () => {
    for (const [text, expected] of [
      [`a\n${exact}\nb\n${exact}`, true],
      [`a\n${exact}z\nb`, false],
      [`a\n${long}`, false],
    ] as const) {
      for (const chunkBytes of [1000, 4096, 65_536]) {
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
          bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
        );
        const passed: Buffer[] = [];
        const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
          for await (const chunk of source) passed.push(chunk);
        };
        const read = pipeline(Readable.from(chunks), new LineLengths(bytesMax), collect);
        assert.equal(await fits(read), expected);
        if (expected) assert.ok(Buffer.concat(passed).equals(bytes));
      }
    }
  });
});
