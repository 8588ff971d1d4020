/** BAM files of public bug reports: each is read as by samtools, or with a warning, or refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { endOfFileBlock } from '@ploidy/formats';
import { bamBytes, type TestBam, type TestRead } from '../../../../test/support/bam.ts';
import { samtoolsSkip } from '../../../../test/support/samtools.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const read = (position: number, more: Partial<TestRead> = {}): TestRead => ({
  reference: 0,
  position,
  ...more,
});
const group = (id: string, sample?: string): string => `@RG\tID:${id}${sample ? `\tSM:${sample}` : ''}\n`;

async function outcome(file: TestBam): Promise<{ counts: unknown; groups: unknown[]; warned: string }> {
  const { made, warnings } = await convertReads(bamBytes(file));
  const groups = made.summary.groups.map(({ name, counts }) => [name, counts.aligned + counts.unaligned]);
  return { counts: made.summary.counts, groups, warned: warnings.map(({ message }) => message).join() };
}

test('reads are in the group that they name first, also where headers repeat or lack it', async () => {
  const cases: [
    name: string,
    text: string,
    groups: (string | undefined)[],
    expected: unknown[],
    warning: RegExp,
  ][] = [
    ['STAR 25', '@RG\tID:a\tID:a\tSM:s\n', ['a'], [['a', 1]], /^$/],
    ['nallo 426', group('a', 's'), ['a\0RGZx', 'x\0RGZa'], [['a', 1]], /^1 reads belong to no read group/],
    ['bamsurgeon 156', group('a', 's'), ['b', 'a'], [['a', 1]], /^1 reads belong to no read group/],
    ['gatk 8904', '', ['a', undefined], [['default', 2]], /^$/],
    [
      'repeated line',
      group('a', 's') + group('a', 's'),
      ['a'],
      [
        ['a', 1],
        ['a', 0],
      ],
      /^1 read groups .* repeat the ID/,
    ],
  ];
  for (const [name, text, groups, expected, warning] of cases) {
    const reads = groups.map((own, at) => read(at, own === undefined ? {} : { group: own }));
    const { groups: found, warned } = await outcome({ text, reads });
    assert.deepEqual(found, expected, name);
    assert.match(warned, warning, name);
  }
  // lobstr-code 70, freebayes 359: one id for two samples.
  const twoSamples = outcome({ text: group('a', 's') + group('a', 't'), reads: [read(0, { group: 'a' })] });
  await assert.rejects(twoSamples, { name: 'InputError', message: /Two read groups of different samples/ });
});

test('the list of sequences counts before the text of the header, and what contradicts it is warned of', async () => {
  const line = (fields: string): string => `@SQ\t${fields}\tM5:${'0'.repeat(32)}\n`;
  const cases: [name: string, text: string, checksums: number, warning: RegExp][] = [
    ['biobambam2 56', line('SN:chr1\tLN:11660'), 0, /^1 sequences have one length in their @SQ line \(LN\)/],
    ['htslib 890, hts-specs 713', '@HD\tVN:1.6\n', 0, /^$/],
    ['seqan3 1201', line('SN:chr2\tLN:45'), 0, /^$/],
    ['NextGenMap 50', '@SQme/SN:xLN:2291500\n@SQ\tSN:chr1\tLN:1000\n', 0, /^$/],
    ['sound', line('SN:chr1\tLN:1000'), 1, /^$/],
  ];
  for (const [name, text, checksums, warning] of cases) {
    const { made, warnings } = await convertReads(bamBytes({ text, reads: [read(5)] }));
    assert.deepEqual([made.sequences.count, made.checksumCount], [1, checksums], name);
    assert.match(warnings.map(({ message }) => message).join(), warning, name);
  }
});

// hisat2 22, bowtie 48, bwa 194.
test('reads beyond the end of their sequence are counted in a warning, if they are mapped', async () => {
  const reads = [read(985), read(990), read(991), read(2000), read(2000, { flags: 4 })];
  assert.match((await outcome({ reads })).warned, /^2 reads extend beyond the end of their sequence/);
});

// htslib 45, htsjdk 1813, fastp 712.
test('empty blocks anywhere end nothing', async () => {
  const whole = bamBytes({ reads: [read(1), read(5), read(9)], blockBytes: 30 });
  for (let at = 0; at < whole.length; at += whole.readUInt16LE(at + 16) + 1) {
    const bytes = Buffer.concat([whole.subarray(0, at), endOfFileBlock, endOfFileBlock, whole.subarray(at)]);
    assert.equal((await convertReads(bytes)).made.summary.records, 3);
  }
});

// hts-specs 40, bamtools 170, fgumi 651, bamUtil 16, sambamba 210, bamnostic 6.
test('long CIGARs in CG, and unmapped reads with a place, are indexed as samtools does', {
  skip: samtoolsSkip,
}, async () => {
  const long = 'x\0CGBI\x01\0\0\0\x40\x01\0\0';
  const reads = [
    read(67_000, {
      cigar: [
        [10, 'S'],
        [100_000, 'N'],
      ],
      group: long,
    }),
    read(70_000, { flags: 4, cigar: [] }),
    read(70_000, { flags: 4, cigar: [[90_000, 'M']] }),
    read(300_000, { flags: 133 }),
    { reference: -1, position: -1, flags: 4 },
  ];
  const bytes = bamBytes({ references: [['c', 1_000_000]], reads });
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-reported-'));
  try {
    const [file, index] = [join(folder, 'a.bam'), join(folder, 'a.bam.bai')];
    writeFileSync(file, bytes);
    writeFileSync(index, (await convertReads(bytes)).bytes);
    const samtools = (...args: string[]): string => execFileSync('samtools', args).toString();
    assert.equal(samtools('idxstats', file), 'c\t1000000\t1\t3\n*\t0\t0\t1\n');
    for (const [region, count] of [
      ['c:160000-160001', 1],
      ['c:70001-70001', 3],
      ['c:150000-167010', 1],
      ['*', 1],
    ] as const)
      assert.equal(samtools('view', '-c', file, region).trim(), String(count), region);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
