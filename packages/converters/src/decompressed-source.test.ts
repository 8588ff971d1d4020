import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '../../../test/support/until.ts';
import { readSource } from './decompressed-source.ts';
import { Slices } from './fhir/read/slices.ts';
import { recognise } from './recognise.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-source-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const line = 'sample_id,gene,copy_number\n';
const long = line.repeat(200_000);

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function textOf(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readSource(path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Descriptors of this process that refer to a file. */
function opened(path: string): number {
  const numbers = readdirSync('/proc/self/fd');
  return numbers.filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === path;
    } catch {
      // Descriptor of the folder itself.
      return false;
    }
  }).length;
}

test('zero padding after a gzip stream changes nothing, at any size', async () => {
  for (const text of [line, long]) {
    for (const zeros of [0, 1, 512, 3_000_000]) {
      const path = written('padded.csv.gz', Buffer.concat([gzipSync(text), Buffer.alloc(zeros)]));
      assert.equal(await textOf(path), text, `${text.length} bytes, ${zeros} zeros`);
      assert.equal(await recognise(path, 'padded.csv.gz'), 'copynumber');
    }
  }
});

test('a table with semicolons is refused with how to write it', async () => {
  const path = written('matrix.csv', 'gene_id;S1;S2\nENSG00000141510;1,5;2,5\n');
  await assert.rejects(recognise(path, 'matrix.csv'), /separated by semicolons.*"table"/);
});

test('a table whose lines end with CR alone is refused with how to save it', async () => {
  const path = written('old.csv', line.repeat(3).replaceAll('\n', '\r'));
  await assert.rejects(recognise(path, 'old.csv'), /carriage return \(CR\) alone: save the file with LF/);
});

test('chunks that only pass by are the bytes of the source, plain or packed, and their file is closed', async () => {
  for (const content of ['', line, long, gzipSync(long)]) {
    const path = written('passing.csv', content);
    const copies: Buffer[] = [];
    const read: number[] = [];
    for await (const chunk of readSource(path, { isPassing: true, onRead: (bytes) => read.push(bytes) }))
      copies.push(Buffer.from(chunk));
    const text = typeof content === 'string' ? content : long;
    assert.equal(Buffer.concat(copies).toString(), text);
    if (text !== '') assert.equal(read.at(-1), content.length);
    if (process.platform === 'linux') await until(() => opened(path) === 0, 'the file is closed');
  }
});

test('a gzip stream that is truncated, or followed by something else, is reported as such', async () => {
  const packed = gzipSync(long);
  const cut = written('cut.gz', packed.subarray(0, -100));
  await assert.rejects(textOf(cut), { name: 'InputError', message: /ends too early/ });
  const followed = written('followed.gz', Buffer.concat([packed, Buffer.from('junk')]));
  await assert.rejects(textOf(followed), { name: 'InputError', message: /other data follows/ });
});

test('a reader that stops early leaves no file open', { skip: process.platform !== 'linux' }, async () => {
  const path = written('long.csv.gz', gzipSync(long));
  for (let time = 0; time < 20; time += 1) await recognise(path, 'long.csv.gz');
  await until(() => opened(path) === 0, 'every reading has closed its file');
  // Slices end within the first chunk: at its beginning, at a piece of it, or because no more are taken.
  for (const content of ['no JSON', '[{"resourceType":"Patient","id":"a"},x', '[{"a":1},{"a":2}]']) {
    const json = written('list.json', content.padEnd(200_000));
    const slices = new Slices().of(readSource(json, { isPassing: true }));
    await slices.next().catch((error: unknown) => assert.equal(String(error).slice(0, 10), 'InputError'));
    await slices.return(undefined);
    await until(() => opened(json) === 0, `the file is closed: ${content}`);
  }
});

test('a missing file is an error of its reader alone', async () => {
  await assert.rejects(recognise(join(folder, 'gone'), 'gone'), { code: 'ENOENT' });
  await assert.rejects(textOf(join(folder, 'gone')), { code: 'ENOENT' });
});
