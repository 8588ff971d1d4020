import assert from 'node:assert/strict';
import { readFile, rm, stat, truncate } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fhirBenchFile, vcfBenchFile } from '../bench/inputs.ts';
import { pack } from './generator/compression.ts';

const remove = async (path: string): Promise<void> => {
  await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
};

test('a packed benchmark VCF is BGZF: blocks of at most 64 KiB that name their length, and the empty one at the end', async () => {
  const { path } = await vcfBenchFile({ records: 401, samples: 10, gzip: true });
  try {
    const bytes = await readFile(path);
    let [offset, blocks, textLength] = [0, 0, 0];
    while (offset < bytes.length) {
      assert.equal(bytes.toString('hex', offset, offset + 16), '1f8b08040000000000ff060042430200');
      const blockLength = bytes.readUInt16LE(offset + 16) + 1;
      offset += blockLength;
      blocks += 1;
      textLength = bytes.readUInt32LE(offset - 4);
      assert.ok(textLength <= 65_536);
    }
    assert.ok(blocks > 3);
    assert.equal(textLength, 0, 'the last block is the empty one');
    assert.equal(
      gunzipSync(bytes)
        .toString()
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('#')).length,
      401,
    );
  } finally {
    await remove(path);
  }
});

test('the expected rows of a benchmark VCF are those of its text', async () => {
  const { path, expectedRows } = await vcfBenchFile({ records: 402, samples: 10, gzip: false });
  try {
    let rows = 0;
    for (const line of (await readFile(path, 'utf8')).trimEnd().split('\n')) {
      if (line.startsWith('#')) continue;
      const fields = line.split('\t');
      const entries = (/;ANN=(.*)/.exec(fields[7] ?? '')?.[1] ?? '')
        .split(',')
        .map((entry) => entry.split('|'));
      for (const [index, alternate] of (fields[4] ?? '').split(',').entries()) {
        const genes = new Set(entries.filter(([allele]) => allele === alternate).map((entry) => entry[3]))
          .size;
        const allele = String(index + 1);
        rows +=
          genes * fields.slice(9).filter((call) => call.split(':')[0]?.split(/[/|]/).includes(allele)).length;
      }
    }
    assert.equal(rows, expectedRows);
  } finally {
    await remove(path);
  }
});

test('a benchmark file is made once, and again when it is not complete', async () => {
  const options = { resources: 403 };
  const { path, resources } = await fhirBenchFile(options);
  try {
    const made = await stat(path);
    assert.equal(resources, 403);
    assert.equal((await readFile(path, 'utf8')).trimEnd().split('\n').length, 403);
    await fhirBenchFile(options);
    assert.equal((await stat(path)).ino, made.ino);
    await truncate(path, 100);
    await fhirBenchFile(options);
    assert.equal((await stat(path)).size, made.size);
  } finally {
    await remove(path);
  }
});

test('nothing is made before the one who writes asks for it', async () => {
  for (const compression of ['none', 'gzip', 'bgzf'] as const) {
    let asked = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; asked < 10_000; asked += 1) yield Buffer.alloc(65_536, String(asked * 7_919));
    }
    for await (const chunk of pack(endless(), compression)) {
      assert.ok(chunk.length > 0);
      break;
    }
    assert.ok(asked < 1_000, `${compression}: ${asked} chunks were made for one that was taken`);
  }
});
