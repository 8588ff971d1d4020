import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readIndex } from '../../../../test/support/bai.ts';
import { bamBytes, bgzf, type TestRead } from '../../../../test/support/bam.ts';
import { generator } from '../../../../test/support/mutations.ts';
import { samtoolsSkip } from '../../../../test/support/samtools.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const files = [
  'HG00096.low_coverage.bam',
  'bgzf_boundaries1.bam',
  'bgzf_boundaries2.bam',
  'htslib_colons.bam',
  'htslib_no_hdr_sq_1.bam',
  'htsnexus_test_NA12878.bam',
  'mpileup.1.bam',
  'quickcheck_badeof.bam',
  'volvox-sorted.bam',
];

/** Builds the index with samtools. */
function theirs(bam: Uint8Array): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-samtools-'));
  try {
    writeFileSync(join(folder, 'a.bam'), bam);
    execFileSync('samtools', ['index', join(folder, 'a.bam')], { stdio: 'pipe' });
    return readFileSync(join(folder, 'a.bam.bai'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sorted reads of many shapes, over several sequences. */
function randomReads(random: (below: number) => number): TestRead[] {
  const reads: TestRead[] = [];
  for (const reference of [0, 2, 3]) {
    for (let position = random(2) - 1, count = random(400); count > 0; count -= 1) {
      const bases = 'ACGT'.repeat(1 + random(30));
      const span = [
        [bases.length, 'M'],
        [random(60_000) + 1, 'N'],
        [3, 'D'],
        [5, 'P'],
      ] as [number, string][];
      const flags = [0, 4, 16, 77, 256][random(5)] ?? 0;
      reads.push({ reference, position, flags, bases, cigar: span.slice(0, 1 + random(4)) });
      position += random(random(4) === 0 ? 2_000_000 : 300);
    }
  }
  const unplaced = { reference: -1, position: -1, flags: 4, bases: 'ACGT', cigar: [] };
  return [...reads, ...Array.from({ length: random(20) }, () => unplaced)];
}

describe('the index of a BAM', () => {
  test('an index of real files has the contents of samtools’', {
    skip: sharedDataSkip || samtoolsSkip,
  }, async () => {
    for (const name of files) {
      const bam = readFileSync(sharedData(`bam/${name}`));
      const { bytes } = await convertReads(bam);
      assert.deepEqual(readIndex(bytes), readIndex(theirs(bam)), name);
    }
  });

  test('an index is the same however the blocks were cut', {
    skip: sharedDataSkip || samtoolsSkip,
  }, async () => {
    const content = gunzipSync(readFileSync(sharedData('bam/htsnexus_test_NA12878.bam')));
    for (const blockBytes of [4_099, 65_280]) {
      const bam = bgzf(content, { blockBytes });
      const { bytes } = await convertReads(bam);
      assert.deepEqual(readIndex(bytes), readIndex(theirs(bam)), `blocks of ${blockBytes}`);
    }
  });

  test('an index of random reads has the contents of samtools’', { skip: samtoolsSkip }, async () => {
    const random = generator(20260505);
    const references: [string, number][] = ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 2 ** 29]);
    for (let round = 0; round < 25; round += 1) {
      const blockBytes = 50 + random(65_000);
      const bam = bamBytes({ references, reads: randomReads(random), blockBytes });
      const { bytes } = await convertReads(bam);
      assert.deepEqual(readIndex(bytes), readIndex(theirs(bam)), `round ${round}`);
    }
  });

  test('the index of a BAM is read by samtools', { skip: sharedDataSkip || samtoolsSkip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-samtools-'));
    try {
      const bam = readFileSync(sharedData('bam/htsnexus_test_NA12878.bam'));
      writeFileSync(join(folder, 'a.bam'), bam);
      writeFileSync(join(folder, 'a.bam.bai'), (await convertReads(bam)).bytes);
      const count = execFileSync('samtools', ['view', '-c', join(folder, 'a.bam'), '11:5015001-5050000']);
      assert.equal(String(count).trim(), '3803');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('index of a file without reads has an entry for each sequence', async () => {
    const { bytes, made } = await convertReads(
      bamBytes({
        references: [
          ['a', 5],
          ['b', 6],
        ],
      }),
    );
    assert.deepEqual(readIndex(bytes), {
      references: [
        { bins: [], linear: '' },
        { bins: [], linear: '' },
      ],
      unplaced: '0',
    });
    assert.deepEqual(made.summary.counts, { aligned: 0, unaligned: 0, bases: 0 });
  });
});

describe('an index beside the BAM', () => {
  const reads: TestRead[] = [
    { reference: 0, position: 5 },
    { reference: 0, position: 9, flags: 4 },
  ];
  const bam = bamBytes({ reads });

  test('index of this file causes no warning and is never used', async () => {
    const { bytes } = await convertReads(bam);
    const again = await convertReads(bam, {}, bytes);
    assert.deepEqual([again.warnings, again.bytes.equals(bytes)], [[], true]);
  });

  test('index of samtools and of real files is accepted', {
    skip: sharedDataSkip || samtoolsSkip,
  }, async () => {
    for (const name of files.filter((one) => !one.startsWith('quickcheck'))) {
      const real = readFileSync(sharedData(`bam/${name}`));
      assert.deepEqual((await convertReads(real, {}, theirs(real))).warnings, [], name);
    }
  });

  test('index of another file, a truncated one or garbage causes a warning, and our own is built', async () => {
    const { bytes } = await convertReads(bam);
    const other = await convertReads(bamBytes({ reads: [...reads, { reference: 0, position: 20 }] }));
    const more = await convertReads(
      bamBytes({
        reads,
        references: [
          ['chr1', 1000],
          ['chr2', 5],
        ],
      }),
    );
    const huge = Buffer.from(bytes);
    huge.writeUInt32LE(0xffff_ffff, 8);
    for (const index of [other.bytes, more.bytes, bytes.subarray(0, 20), huge, Buffer.from('rubbish')]) {
      const { warnings, bytes: built } = await convertReads(bam, {}, index);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0]?.message ?? '', /index beside the BAM/);
      assert.ok(built.equals(bytes));
    }
  });
});
