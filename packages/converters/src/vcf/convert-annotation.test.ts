import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { annotationsOf, annotationsOfText, convertFile, pick, vcf } from './conversion.fixture.ts';

const af = '##INFO=<ID=AF,Number=A,Type=Float,Description="x">';
const key = ['chromosome', 'position', 'reference', 'alternate'];
const frequency = ['minimum_allele_frequency', 'maximum_allele_frequency', 'population_allele_frequency'];

describe('annotation files', () => {
  test('each alternate has one row, trimmed as variants are, whatever genes and samples the file has', async () => {
    const records = [
      '1 100 rs1 GCA GCAT,GTA . . ANN=T|missense_variant|LOW|A,T|missense_variant|LOW|B GT 0/0 ./.',
      'chrM 5 . A <DEL>,G . . . GT 0/1 0/1',
    ];
    const { rows, warnings } = await annotationsOfText(vcf(records, { samples: ['S1', 'S2'] }));
    assert.deepEqual(pick(rows, ...key, 'rs_id'), ['chr1 101 C T rs1', 'chr1 102 A AT rs1', 'chrM 5 A G -']);
    assert.match(warnings[0]?.message ?? '', /^The symbolic alleles and breakends of 1 records/);
  });

  test('each record has alleles or a reason, and each key of INFO is read or not', async () => {
    const records = [
      '1 5 rs1 A C . . AF=0.9;ZQ=1',
      '1 6 . A . . . AF=0.1',
      '1 7 . N <DEL> . . END=9',
      '1 8 . A G . q10 AF=0.2',
    ];
    const { account } = await annotationsOfText(vcf(records, { meta: [af] }), { passOnly: true });
    assert.deepEqual(account && { ...account, read: account.read.map(({ name }) => name) }, {
      records: 4,
      read: ['INFO/AF'],
      kept: [],
      unread: [{ name: 'INFO/ZQ', count: 1 }],
      leftOut: [
        { name: 'no alternate allele', count: 1 },
        { name: 'symbolic alleles and breakends match no allele of other files', count: 1 },
        { name: 'filters failed (passOnly)', count: 1 },
      ],
    });
  });

  test('INFO/AF of the file is a population frequency, those of sexes and raw calls are none', async () => {
    const record =
      '1 5 . A C,G . . AF=0.1,0.2;AF_afr=0.05,0.3;AF-nfe=0.15,0.25;AF_popmax=0.4,0.5;AF_male=0.9,0.9;AF_raw=1,1';
    const meta = [
      af,
      ...['AF_afr', 'AF-nfe', 'AF_popmax', 'AF_male', 'AF_raw'].map((id) => af.replace('ID=AF', `ID=${id}`)),
    ];
    const { rows } = await annotationsOfText(vcf([record], { meta }));
    assert.deepEqual(pick(rows, 'alternate', ...frequency), ['C 0.05 0.4 0.1', 'G 0.2 0.5 0.2']);
  });

  test('gnomAD beside it counts before INFO/AF', async () => {
    const meta = [af, af.replace('ID=AF', 'ID=gnomADg_AF')];
    const { rows } = await annotationsOfText(vcf(['1 5 . A C . . AF=0.9;gnomADg_AF=0.2'], { meta }));
    assert.deepEqual(pick(rows, ...frequency), ['0.2 0.9 0.2']);
  });

  test('the first record of a repeated allele counts, and the others are reported', async () => {
    const records = ['2 9 rs2 A C . . .', '1 7 rs1 GA GC . . .', '1 8 rs3 A C . . .', '2 9 . A G . . .'];
    const { rows, warnings } = await annotationsOfText(vcf(records));
    assert.deepEqual(pick(rows, ...key, 'rs_id'), ['chr1 8 A C rs1', 'chr2 9 A C rs2', 'chr2 9 A G -']);
    assert.deepEqual(
      warnings.map(({ message }) => message).filter((message) => !message.startsWith('The version of')),
      ['1 records repeat the allele of an earlier record: the first one is used.'],
    );
  });

  test('the first record counts also where a file is in no order', async () => {
    for (const records of [
      ['1 20 rs1 A C . . .', '2 5 . A C . . .', '1 10 . A C . . .', '1 20 rs2 A C . . .'],
      ['1 20 rs1 A C . . .', '1 30 . A C . . .', '2 5 . A C . . .', '1 10 . A C . . .', '1 20 rs2 A C . . .'],
      ['chr1 20 rs1 A C . . .', '1 20 rs2 A C . . .', 'chr1 10 . A C . . .', '1 20 rs3 A C . . .'],
    ]) {
      const { rows } = await annotationsOfText(vcf(records));
      assert.deepEqual(
        pick(rows, ...key, 'rs_id').filter((row) => row.startsWith('chr1 20 ')),
        ['chr1 20 A C rs1'],
      );
    }
  });

  test("chromosomes by RefSeq's accessions, as dbSNP's file has them, are those of the variants", async () => {
    const records = [
      'NC_000001.11 5 rs1 A C . . .',
      'NC_000024.10 5 rs2 A C . . .',
      'NC_012920.1 5 rs3 A C . . .',
    ];
    const { rows, warnings, genomeBuild } = await annotationsOfText(
      vcf([...records, 'NT_113889.1 5 rs4 A C . . .']),
    );
    assert.deepEqual(pick(rows, 'chromosome', 'rs_id').toSorted(), [
      'NT_113889.1 rs4',
      'chr1 rs1',
      'chrM rs3',
      'chrY rs2',
    ]);
    assert.deepEqual([warnings.length, genomeBuild], [0, 'GRCh38']);
  });

  test('a file without a known chromosome is reported', async () => {
    const { warnings } = await annotationsOfText(vcf(['23 5 rs1 A C . . .', 'GL000192.1 5 rs2 A C . . .']));
    assert.match(warnings[0]?.message ?? '', /^No chromosome of the file/);
  });

  test('passOnly leaves out what was filtered, and a broken line ends it', async () => {
    const { rows } = await annotationsOfText(vcf(['1 5 . A C . AC0 .', '1 6 . A C . PASS .']), {
      passOnly: true,
    });
    assert.deepEqual(pick(rows, 'position'), ['6']);
    await assert.rejects(annotationsOfText(vcf(['1 five . A C . . .'])), { name: 'InputError', line: 3 });
  });

  test('a ClinVar file has the same values as annotation and as variants', {
    skip: sharedDataSkip,
  }, async () => {
    const path = sharedData('vcf/vep_clinvar_testset.vcf.gz');
    const { rows } = await annotationsOf(path);
    const { variants } = await convertFile(path);
    const columns = Object.keys(rows[0] ?? {});
    assert.ok(rows.length > 30);
    // A variant has a row for each gene of GENEINFO.
    const distinct = (all: typeof rows): string[] => [...new Set(pick(all, ...columns))];
    assert.deepEqual(distinct(rows), distinct(variants));
  });
});
