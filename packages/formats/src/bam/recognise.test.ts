import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignFormat } from './recognise.ts';

const advice = (...lines: string[]) =>
  foreignFormat(new TextEncoder().encode(`${lines.join('\n').replaceAll(' ', '\t')}\n`));

const sequences = ['@HD VN:1.6', '@SQ SN:chr1 LN:248956422', '@RG ID:GATKCopyNumber SM:T1'];
const read = 'r1 0 chr1 100 60 4M * 0 0 ACGT FFFF';

test('the refusal of a SAM names the way out, with any start of its header', () => {
  for (const line of sequences) assert.match(advice(line, read) ?? '', /^This is a SAM\. Convert it/);
  assert.match(advice(...sequences, 'CONTIG 0 chr1 100 60 4M * 0 0 ACGT FFFF') ?? '', /^This is a SAM\./);
});

test('segments of GATK, which start like a SAM, are no foreign format', () => {
  for (const header of [
    'CONTIG START END NUM_POINTS_COPY_RATIO MEAN_LOG2_COPY_RATIO CALL',
    'CONTIG START END NUM_POINTS_COPY_RATIO NUM_POINTS_ALLELE_FRACTION LOG2_COPY_RATIO_POSTERIOR_10',
  ])
    assert.equal(advice(...sequences, header, 'chr1 1 9 5 0.5 +'), undefined, header);
});

test('the refusal of other GATK tables asks for the segments for IGV', () => {
  for (const header of [
    'CONTIG START END LOG2_COPY_RATIO',
    'CONTIG POSITION REF_COUNT ALT_COUNT REF_NUCLEOTIDE ALT_NUCLEOTIDE',
  ])
    assert.match(
      advice(...sequences, header, 'chr1 1 9 5 0.5 +') ?? '',
      /^This is a table of GATK.*\.called\.igv\.seg/,
      header,
    );
});

test('a list of intervals, which starts like a SAM, is recognised', () => {
  for (const line of ['chr1 100 200 + target_1', 'chr1 100 200 - .', 'HLA*01:01 1 2 +'])
    assert.match(
      advice(...sequences, line) ?? '',
      /^This is a list of intervals, for which there is no table/,
      line,
    );
});

test('a header longer than the read part has both advices', () => {
  const reported = advice(...sequences) ?? '';
  assert.match(reported, /SAM.*GATK/);
  assert.match(reported, /samtools view -b.*\.called\.igv\.seg/);
});

test('files of other formats are not recognised as SAM', () => {
  assert.equal(advice('@HDR x'), undefined);
  assert.equal(advice('CONTIG START END'), undefined);
});

test('XML, web pages, GCT 1.3, archives and twice compressed files are refused with a remedy', () => {
  assert.match(advice('<?xml version="1.0"?>', '<Patient/>') ?? '', /XML.*Export FHIR as JSON/);
  assert.match(advice('<!DOCTYPE html>') ?? '', /web page/);
  assert.match(advice('#1.3') ?? '', /Write it as GCT 1\.2/);
  assert.match(foreignFormat(Uint8Array.of(0x1f, 0x8b, 8, 0)) ?? '', /gzip twice/);
  assert.match(advice(`${'a'.repeat(257)}ustar`) ?? '', /tar archive/);
  assert.equal(advice('#1.2'), undefined);
});
