import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { constants, gzipSync } from 'node:zlib';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const maf = tsv(
  'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode',
  'A 1 10 A C S',
  'B 1 20 A C S',
);
const good: Record<TabularType, string> = {
  maf,
  copynumber: tsv('chromosome start end gene log2 cn', '1 0 10 A 0 2', '1 10 20 B 0 2'),
  fusion: tsv('sample_id gene1 gene2', 'S A B', 'S C D'),
  expression: tsv('gene_id A', 'g1 1', 'g2 2'),
};
/** Second line of each, broken, with the column that is reported. */
const broken: Record<TabularType, [line: string, column: number | undefined]> = {
  maf: ['B 1 twenty A C S', 3],
  copynumber: ['1 10 20 B', undefined],
  fusion: ['S . .', 2],
  expression: ['g2 two', 2],
};
const types = Object.keys(good) as TabularType[];

for (const type of types) {
  describe(type, () => {
    const [line, column] = broken[type];
    const lines = good[type].trimEnd().split('\n');
    const text = [...lines.slice(0, 2), line.replaceAll(' ', '\t'), ...lines.slice(2)].join('\n');

    test('a broken line ends it with line, column and reason, and without its content', async () => {
      const error: unknown = await convertText(type, text).catch((reason: unknown) => reason);
      assert.ok(error instanceof Error && error.name === 'InputError', String(error));
      assert.deepEqual([Reflect.get(error, 'line'), Reflect.get(error, 'column')], [3, column]);
      assert.match(error.message, /^Line 3 is not a valid record /);
      assert.doesNotMatch(error.message, /twenty|two/);
    });

    test('with onError skip it is left out and listed, and the others are taken', async () => {
      const { rows, warnings } = await convertText(type, text, { onError: 'skip' }, 'S1.counts.tsv');
      assert.deepEqual([rows.length, warnings.map((warning) => warning.line)], [2, [3]]);
      assert.match(warnings[0]?.message ?? '', /^Skipped, it is not a valid record /);
    });

    test('compressed files with CRLF, a byte order mark and no last line end have the same rows', async () => {
      const { rows } = await convertText(type, good[type]);
      const other = `\ufeff${good[type].trimEnd().replaceAll('\n', '\r\n')}`;
      const half = Math.floor(other.length / 2);
      // BGZF is gzip in several members.
      const members = Buffer.concat([gzipSync(other.slice(0, half)), gzipSync(other.slice(half))]);
      for (const content of [other, gzipSync(other), members])
        assert.deepEqual((await convertText(type, content)).rows, rows);
    });

    test('lines that end with CR alone are refused, also behind a comment', async () => {
      const all = good[type].replaceAll('\n', '\r');
      for (const content of [all, `#version 1\r${good[type]}`, `#version 1\n${all}`])
        for (const options of [{}, { onError: 'skip' as const }])
          await assert.rejects(convertText(type, content, options), { name: 'InputError' });
    });

    test('an empty file, a truncated or damaged one and one of something else are refused', async () => {
      const refused = (content: string | Uint8Array, message: RegExp) =>
        assert.rejects(convertText(type, content), { name: 'InputError', message });
      await refused('', /is empty/);
      await refused(gzipSync(''), /is empty/);
      const packed = gzipSync(good[type], { level: constants.Z_NO_COMPRESSION });
      await refused(packed.subarray(0, packed.length - 6), /ends too early/);
      packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 255;
      await refused(packed, /damaged/);
      await refused('{"resourceType":"Patient"}\n', /^This is not a/);
      await refused(Buffer.from(`\ufeff${good[type]}`, 'utf16le'), /UTF-16/);
      await refused(Buffer.from(good[type].replace('\n', '\n\u00ff'), 'latin1'), /not UTF-8/);
    });
  });
}

test('unordered rows are sorted over several row groups', async () => {
  const count = 130_000;
  const lines = Array.from({ length: count }, (_, index) => `ENSG${(index * 7919) % count}\t${index}`);
  const { rows, tables, progress } = await convertText('expression', `gene_id\tA\n${lines.join('\n')}\n`);
  assert.deepEqual([rows.length, tables[0]?.rows, progress.at(-1)?.[1]], [count, count, count]);
  const ids = pick(rows, 'gene_id');
  assert.ok(ids.every((id, index) => index === 0 || (ids[index - 1] ?? '') <= id));
  assert.equal(new Set(ids).size, count);
});

test('an allele TRUE, which R makes of a column of T, ends it with its column', async () => {
  const damaged = maf.replace('20\tA\tC', '20\tA\tTRUE');
  await assert.rejects(convertText('maf', damaged), {
    name: 'InputError',
    line: 3,
    column: 5,
    message: /allele is not made of bases/,
  });
});
