/** FASTA files of public bug reports: lengths and checksums are those of the bases, or the file is refused. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { convertReferences } from '../genomics-conversion.fixture.ts';

const md5 = (bases: string): string => createHash('md5').update(bases).digest('hex');

test('line ends, blank lines and titles of any program change no base', async () => {
  const cases: [report: string, text: string, ...sequences: [name: string, bases: string][]][] = [
    [
      'pyfaidx 83',
      '>MT\nACGT\nAC\n\n>GL000207.1 dna:supercontig\nTTA\n',
      ['MT', 'ACGTAC'],
      ['GL000207.1', 'TTA'],
    ],
    ['pyfaidx 160', '>a\n\n\n>b\nATCG\n\n', ['a', ''], ['b', 'ATCG']],
    ['pyfaidx 155', '>A\nACC\n>B\n>C\n\n>D\nDAA\nGG\n', ['A', 'ACC'], ['B', ''], ['C', ''], ['D', 'DAAGG']],
    ['freebayes 140', '>a\r\nACGT\r\nAC\r\n>b\r\nG\r\n', ['a', 'ACGTAC'], ['b', 'G']],
    ['pyfaidx 62', `>a\n${'A'.repeat(60)}\n>4 dna:chromosome\nC\n`, ['a', 'A'.repeat(60)], ['4', 'C']],
    ['samtools 929', '>seq\nAAAAAAAAAA\nCCC\nTTTTT\n', ['seq', 'AAAAAAAAAACCCTTTTT']],
    [
      'nanopolish 293',
      '>ENA|CM001196|CM001196.1 M. graminicola\nACGT\n',
      ['ENA|CM001196|CM001196.1', 'ACGT'],
    ],
    ['samtools 704', '>Sheila\nGCTAGCRM.gactAA\n', ['Sheila', 'GCTAGCRM.GACTAA']],
    ['htsjdk 645, dorado 1597', '>a\nacgtnNACGT\n', ['a', 'ACGTNNACGT']],
    ['hts-specs 234', '>a\nAC GT\t\n AC\n', ['a', 'ACGTAC']],
  ];
  for (const [report, text, ...sequences] of cases) {
    const { references, bytes } = await convertReferences(text);
    const found = references.map(({ name, length, md5checksum }) => [name, length, md5checksum]);
    assert.deepEqual(
      found,
      sequences.map(([name, bases]) => [name, bases.length, md5(bases)]),
      report,
    );
    assert.equal(bytes.toString(), sequences.map(([, bases]) => bases).join(''), report);
  }
});

test('a file that is no FASTA, or has a name twice, is refused with its place', async () => {
  const cases: [report: string, text: string, line: number, column: number][] = [
    ['pyfaidx 141', '>a x\rACGT\r>b\rAC\r', 1, 5],
    ['pyfaidx 141, a genome', `>a\r${'ACGT\r'.repeat(20_000)}`, 1, 3],
    ['clean 52', '>NC_1\nACGT>gi|9626372| phiX\nAC\n', 2, 5],
    ['htslib 258, hts 167', '>\nACGT\n>b\nAC\n', 1, 1],
    ['redundans 13, bwa 194', '>a 1\nAC\n>a 2\nGT\n', 3, 1],
    ['snpflip 9', '1 dna:chromosome\nACGT\n', 1, 1],
  ];
  for (const [report, text, line, column] of cases)
    await assert.rejects(convertReferences(text), (error: unknown) => {
      assert.ok(error instanceof InputError, report);
      assert.deepEqual([error.line, error.column], [line, column], report);
      return true;
    });
  await assert.rejects(convertReferences('>a\rAC\r'), /carriage return \(CR\) alone/);
});

// arcs 93, loftee 101, ncbi-vdb 183.
test('titles without bases are counted in a warning', async () => {
  const warned = async (text: string): Promise<string> =>
    (await convertReferences(text)).warnings[0]?.message ?? '';
  assert.match(await warned('>a\n>b\nAC\n>c\n'), /^2 sequences have a title but no bases/);
  assert.equal(await warned('>a\nAC\n'), '');
});
