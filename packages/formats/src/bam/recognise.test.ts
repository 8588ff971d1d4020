import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignFormat } from './recognise.ts';

const advice = (...lines: string[]) =>
  foreignFormat(new TextEncoder().encode(`${lines.join('\n').replaceAll(' ', '\t')}\n`));

const sequences = ['@HD VN:1.6', '@SQ SN:chr1 LN:248956422', '@RG ID:GATKCopyNumber SM:T1'];
const read = 'r1 0 chr1 100 60 4M * 0 0 ACGT FFFF';

test('a SAM is told what to do with it, whatever its header begins with', () => {
  for (const line of sequences) assert.match(advice(line, read) ?? '', /^This is a SAM\. Convert it/);
  assert.match(advice(...sequences, 'CONTIG 0 chr1 100 60 4M * 0 0 ACGT FFFF') ?? '', /^This is a SAM\./);
});

test('tables of GATK, whose beginning is that of a SAM, are told to send the segments for IGV', () => {
  for (const header of [
    'CONTIG START END NUM_POINTS_COPY_RATIO MEAN_LOG2_COPY_RATIO CALL',
    'CONTIG START END NUM_POINTS_COPY_RATIO NUM_POINTS_ALLELE_FRACTION LOG2_COPY_RATIO_POSTERIOR_10',
    'CONTIG START END LOG2_COPY_RATIO',
    'CONTIG POSITION REF_COUNT ALT_COUNT REF_NUCLEOTIDE ALT_NUCLEOTIDE',
  ])
    assert.match(
      advice(...sequences, header, 'chr1 1 9 5 0.5 +') ?? '',
      /^This is a table of GATK.*\.called\.igv\.seg/,
      header,
    );
});

test('a list of intervals, whose beginning is that of a SAM, is told to be one', () => {
  for (const line of ['chr1 100 200 + target_1', 'chr1 100 200 - .', 'HLA*01:01 1 2 +'])
    assert.match(
      advice(...sequences, line) ?? '',
      /^This is a list of intervals, of which there is no table/,
      line,
    );
});

test('where the header is longer than what is looked at, both are told', () => {
  const told = advice(...sequences) ?? '';
  assert.match(told, /SAM.*GATK/);
  assert.match(told, /samtools view -b.*\.called\.igv\.seg/);
});

test('what is of another format is nothing of that', () => {
  assert.equal(advice('@HDR x'), undefined);
  assert.equal(advice('CONTIG START END'), undefined);
});
