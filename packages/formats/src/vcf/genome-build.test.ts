import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contradictingBuilds,
  genomeBuildNamed,
  genomeBuildOfAccessions,
  genomeBuildOfHeader,
  genomeBuildOfMaf,
} from './genome-build.ts';

const contig = (id: string, length: number, more = '') => `##contig=<ID=${id},length=${length}${more}>`;

test('the lengths of contigs identify the build, under any names and against the rest of the header', () => {
  assert.equal(genomeBuildOfHeader([contig('chr1', 248956422)]), 'GRCh38');
  assert.equal(genomeBuildOfHeader([contig('17', 81195210)]), 'GRCh37');
  assert.equal(genomeBuildOfHeader([contig('Y', 57772954)]), 'NCBI36');
  assert.equal(genomeBuildOfHeader([contig('chrX', 154259566)]), 'T2T-CHM13v2.0');
  assert.equal(
    genomeBuildOfHeader(['##reference=/data/hg19.fa', contig('GL000207.1', 4262), contig('2', 242193529)]),
    'GRCh38',
  );
});

test('a header with lengths of two builds has none', () => {
  const lines = [contig('1', 248956422), contig('2', 243199373), '##reference=GRCh38'];
  assert.equal(genomeBuildOfHeader(lines), undefined);
});

test('lines that claim several builds are named by what claims them', () => {
  const reported: [string[], string | undefined][] = [
    [['##reference=GRCh37', contig('1', 248956422)], 'contigs: GRCh38; names of the reference: GRCh37'],
    [[contig('1', 248956422), contig('2', 243199373)], 'contigs: GRCh37, GRCh38'],
    [['##reference=hg19.fa', '##assembly=GRCh38'], 'names of the reference: GRCh37, GRCh38'],
    [
      ['##reference=hg38.fa', '##VEP=v77 cache=77_GRCh37'],
      'names of the reference: GRCh38; annotators: GRCh37',
    ],
    [['##reference=hg19.fa', contig('1', 249250621), '##contig=<ID=2,assembly=b37>'], undefined],
    [['##reference=file:///liftover/hg19_to_hg38.fa', contig('1', 248956422)], undefined],
    [['##source=hg19'], undefined],
  ];
  for (const [lines, claims] of reported) assert.equal(contradictingBuilds(lines), claims, lines.join());
});

test('without known lengths the reference identifies the build, then the annotator', () => {
  const reported: [string[], string | undefined][] = [
    [['##reference=GRCh38'], 'GRCh38'],
    [['##reference=GRCh38.p14'], 'GRCh38'],
    [['##reference=file:///refs/human_g1k_v37_decoy.fasta'], 'GRCh37'],
    [['##reference=ftp://host/phase2_reference_assembly_sequence/hs37d5.fa.gz'], 'GRCh37'],
    [['##reference=file:///refs/Homo_sapiens_assembly38.fasta'], 'GRCh38'],
    [['##reference=file:///refs/1000GenomesPilot-NCBI36.fasta'], 'NCBI36'],
    [['##reference=/refs/chm13v2.0.fa'], 'T2T-CHM13v2.0'],
    [['##contig=<ID=1,assembly=b37>'], 'GRCh37'],
    [['##contig=<ID=1,assembly=gnomAD_GRCh38>'], 'GRCh38'],
    [['##SnpEffCmd="SnpEff  GRCh37.75 in.vcf "'], 'GRCh37'],
    [['##VEP=v77 cache=/vep/homo_sapiens/77_GRCh37 db=.'], 'GRCh37'],
    [['##reference=hg38.fa', '##VEP=v77 cache=/vep/homo_sapiens/77_GRCh37'], 'GRCh38'],
    [['##reference=file:///liftover/hg19_to_hg38.fa'], undefined],
    [['##reference=hg19.fa', '##assembly=GRCh38'], undefined],
    [['##reference=mm10.fa', contig('1', 195471971)], undefined],
    [['##source=hg19', '##INFO=<ID=X,Number=1,Type=String,Description="position on hg19">'], undefined],
    [[], undefined],
  ];
  for (const [lines, build] of reported) assert.equal(genomeBuildOfHeader(lines), build, lines.join());
});

test('versions of RefSeq accessions identify the build, beside lengths and before names', () => {
  const reported: [string[], string | undefined][] = [
    [['NC_000001.10'], 'GRCh37'],
    [['NC_000001.11', 'NC_000007.14', 'NC_000024.10', 'NC_012920.1', 'NT_187361.1'], 'GRCh38'],
    [['NC_060925.1', 'NC_060948.1'], 'T2T-CHM13v2.0'],
    // That of chromosome 1 in GRCh37 and of the X chromosome in GRCh38.
    [['NC_000001.10', 'NC_000023.11'], undefined],
    [['NC_000001', 'NC_000001.3', 'NC_012920.1', 'NC_000067.7', 'chr1'], undefined],
  ];
  for (const [names, build] of reported) {
    assert.equal(genomeBuildOfAccessions(names), build, names.join());
    assert.equal(genomeBuildOfHeader(names.map((name) => `##contig=<ID=${name}>`)), build, names.join());
  }
  assert.equal(genomeBuildOfHeader(['##contig=<ID=NC_000001.11>', '##reference=hg19.fa']), 'GRCh38');
});

test('names of builds are not found within longer words or numbers', () => {
  for (const text of ['ab37', 'b370', 'GRCh381', 'hs100', 'thg19', 'assembly380'])
    assert.equal(genomeBuildNamed(text), undefined, text);
});

test('NCBI_Build of a MAF may be a number alone', () => {
  assert.deepEqual(['36', '37', 'GRCh37-lite', 'hg38', '39', ''].map(genomeBuildOfMaf), [
    'NCBI36',
    'GRCh37',
    'GRCh37',
    'GRCh38',
    undefined,
    undefined,
  ]);
});
