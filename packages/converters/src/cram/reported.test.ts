/** CRAM files of public bug reports: odd reads, in every form that samtools writes, have the counts and index of a BAM. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { generator } from '../../../../test/support/mutations.ts';
import { samtoolsSkip } from '../../../../test/support/samtools.ts';
import { convertReads } from '../genomics-conversion.fixture.ts';

const random = generator(20261128);
const bases = Array.from({ length: 3000 }, () => 'ACGT'[random(4)]).join('');
const at = (start: number, length: number): string => bases.slice(start - 1, start - 1 + length);

type Read = [
  report: string,
  flags: number,
  position: number,
  cigar: string,
  sequence: string,
  group?: string,
];
const placed: Read[] = [
  ['cramtools 35', 0, 20, '10M', '*'],
  ['htsjdk 336', 0, 31, '10M1000N10M', at(31, 10) + at(1041, 10)],
  ['deletion', 0, 41, '10M5D10M', at(41, 10) + at(56, 10)],
  ['cramtools 25', 0, 51, '5M1I2P1I5M', `${at(51, 5)}AC${at(56, 5)}`],
  ['hard clips', 0, 61, '5H10M3S', `${at(61, 10)}ACG`],
  ['clips alone', 0, 62, '10S', 'ACGTACGTAC'],
  ['insertion alone', 0, 63, '10I', 'ACGTACGTAC'],
  ['htsjdk 714', 4, 81, '*', 'ACGTACGTACGT', 'b'],
  ['cramtools 21', 69, 82, '*', 'A'.repeat(30), 'b'],
  ['cramtools 37', 2147, 91, '10M40H', at(91, 10)],
  ['htsjdk 802', 256, 92, '50M', '*'],
  ['gatk 8768', 0, 101, '10M', 'N'.repeat(10)],
  ['cramtools 41', 0, 102, '10M', 'ACRYKMACGT'],
  ['without a group', 0, 103, '10M', at(103, 10), ''],
  ['a group that is not there', 0, 104, '10M', at(104, 10), 'zz'],
  ['the end', 0, 2991, '10M', at(2991, 10)],
];
const unplaced: Read[] = [1, 2, 3].map((count) => ['cramtools 23', 4, 0, '*', 'ACGT'.repeat(count)]);
const lines = (reads: Read[]): string =>
  reads
    .map(([name, flags, position, cigar, sequence, group = 'a']) => {
      const fields = [
        name.replaceAll(' ', '_'),
        flags,
        position > 0 ? 'c' : '*',
        position,
        0,
        cigar,
        '*',
        0,
        0,
        sequence,
        '*',
      ];
      return `${[...fields, ...(group === '' ? [] : [`RG:Z:${group}`])].join('\t')}\n`;
    })
    .join('');
const groups = '@RG\tID:a\tSM:one\n@RG\tID:b\tSM:two\n';
const header = `@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:3000\n${groups}`;

/** Options of `samtools view -C`, by bug report. */
const writings: [report: string, ...options: string[]][] = [
  ['as ever', 'version=3.0'],
  ['igv.js 2078, RustQC 151', 'version=3.1'],
  ['igv.js 1934', 'version=3.0', 'archive'],
  ['igv.js 1934', 'version=3.1', 'archive'],
  ['noodles 107', 'version=3.1', 'small'],
  ['bzip2 and LZMA', 'version=3.0', 'use_bzip2=1', 'use_lzma=1'],
  ['htslib 1038', 'version=3.0', 'embed_ref=1'],
  ['htslib 503', 'version=3.0', 'embed_ref=1', 'seqs_per_slice=3', 'slices_per_container=3'],
  ['htslib 654, hts-specs 376', 'version=3.0', 'multi_seq_per_slice=1'],
  ['without reference', 'version=3.0', 'no_ref=1'],
  ['samtools 1341 and 1088', 'version=3.0', 'lossy_names=1'],
];

/** Start and span of unplaced reads, which have no meaning (hts-specs 376). */
const unplacedSpan = /^-1\t0\t0/gm;

describe('reported CRAM files', { skip: samtoolsSkip }, () => {
  let folder = '';
  const path = (name: string): string => join(folder, name);
  const samtools = (...args: string[]): void => {
    execFileSync('samtools', args, { cwd: folder, stdio: 'pipe' });
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ploidy-reported-'));
    writeFileSync(path('c.fa'), `>c\n${bases}\n`);
    writeFileSync(path('odd.sam'), header + lines(placed) + lines(unplaced));
    writeFileSync(path('unplaced.sam'), `@HD\tVN:1.6\n${groups}${lines(unplaced)}`);
    writeFileSync(path('empty.sam'), header);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function compared(sam: string, options: string[], report: string): Promise<void> {
    samtools('view', '-b', '-o', 'a.bam', sam);
    const asked = options.flatMap((option) => ['--output-fmt-option', option]);
    samtools('view', '-C', '-T', 'c.fa', ...asked, '-o', 'a.cram', sam);
    samtools('index', 'a.cram');
    const bam = await convertReads(readFileSync(path('a.bam')));
    const cram = await convertReads(readFileSync(path('a.cram')), {}, undefined, 'cram');
    const seen = ({ made: { summary }, warnings }: typeof bam) => [summary.counts, summary.groups, warnings];
    assert.deepEqual(seen(cram), seen(bam), report);
    const theirs = gunzipSync(readFileSync(path('a.cram.crai'))).toString();
    assert.equal(cram.bytes.toString(), theirs.replaceAll(unplacedSpan, '-1\t0\t1'), report);
  }

  test('odd reads count and are indexed alike, however they are written', async () => {
    for (const [report, ...options] of writings) await compared('odd.sam', options, report);
  });

  // bwa 194, lobstr-code 70.
  test('reads beyond their sequence are counted, and one ID of two samples is refused', async () => {
    const beyond: Read[] = [
      ['within', 0, 2991, '10M', at(2991, 10)],
      ['beyond', 0, 2995, '10M', 'ACGTACGTAC'],
    ];
    const written = async (text: string): ReturnType<typeof convertReads> => {
      writeFileSync(path('b.sam'), text);
      samtools('view', '-C', '--output-fmt-option', 'no_ref=1', '-o', 'b.cram', 'b.sam');
      return convertReads(readFileSync(path('b.cram')), {}, undefined, 'cram');
    };
    const { warnings } = await written(header + lines(beyond));
    assert.match(warnings[0]?.message ?? '', /^1 reads extend beyond the end of their sequence/);
    const twice = written(`${header}@RG\tID:a\tSM:other\n${lines(unplaced)}`);
    await assert.rejects(twice, { name: 'InputError', message: /Two read groups of different samples/ });
  });

  // noodles 305, samtools 454.
  test('files without placed reads, and without any', async () => {
    await compared('unplaced.sam', ['version=3.0'], 'noodles 305');
    await compared('empty.sam', ['version=3.0'], 'empty');
  });
});
