import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertText as convertVcfText, vcf } from '../vcf/conversion.fixture.ts';
import { convertFile, convertText, pick, tsv } from './conversion.fixture.ts';

const columns = [
  'Hugo_Symbol',
  'Chromosome',
  'Start_Position',
  'Reference_Allele',
  'Tumor_Seq_Allele1',
  'Tumor_Seq_Allele2',
  'Tumor_Sample_Barcode',
];
const header = columns.join(' ');
/** A MAF with the needed columns and further ones, each line with its further values. */
const maf = (further: string[], ...lines: string[]): string =>
  tsv([...columns, ...further].join(' '), ...lines);
const alleles = ['chromosome', 'position', 'reference', 'alternate', 'genotype'];

describe('alleles of a MAF', () => {
  test('substitutions are trimmed as those of a VCF', async () => {
    const { rows } = await convertText(
      'maf',
      maf([], 'G 1 10 A A C S', 'G chrX 20 ACG ACG ATG S', 'G 23 30 AC AC GT S', 'G MT 40 a A t S'),
    );
    assert.deepEqual(pick(rows, ...alleles), [
      'chr1|10|A|C|0/1',
      'chrM|40|A|T|0/1',
      'chrX|21|C|T|0/1',
      'chrX|30|AC|GT|0/1',
    ]);
  });

  test('insertions and deletions have the base before them, where the file has it', async () => {
    const rowsOf = async (column: string, insertion: string, deletion: string): Promise<string[]> => {
      const text = maf([column], `G 1 10 - - TT S ${insertion}`, `G 1 21 CA CA - S ${deletion}`);
      const { rows, warnings } = await convertText('maf', text);
      return [...pick(rows, 'position', 'reference', 'alternate'), ...warnings.map(({ message }) => message)];
    };
    const expected = ['10|G|GTT', '20|TCA|T'];
    assert.deepEqual(await rowsOf('vcf_region', 'chr1:10:.:G:GTT', 'chr1:19:.:ATCA:AT'), expected);
    assert.deepEqual(await rowsOf('flanking_bps', 'CGA', 'ATCAG'), expected);
    assert.deepEqual(await rowsOf('CONTEXT', 'AAAACGAAAAA', 'AAAAATCAGGGGG'), expected);
    const unknown = ['10|N|NTT', '20|NCA|N'];
    const remark = 'The file lacks the base before 2 insertions and deletions: it is written as N.';
    assert.deepEqual(await rowsOf('Center', 'x', 'y'), [...unknown, remark]);
    // A context that does not fit the deleted bases is ignored.
    assert.deepEqual((await rowsOf('flanking_bps', 'CGA', 'ATGGG'))[1], '20|NCA|N');
  });

  test('both tumor alleles make the genotype; without the first it is NULL', async () => {
    const text = maf(
      [],
      'G 1 10 A C C S',
      'G 1 20 A C G S',
      'G 1 30 A  G S',
      'G 1 40 A A A S',
      'G 1 50 A G A S',
    );
    const { rows } = await convertText('maf', text);
    assert.deepEqual(pick(rows, ...alleles), [
      'chr1|10|A|C|1/1',
      'chr1|20|A|G|0/1',
      'chr1|20|A|C|0/1',
      'chr1|30|A|G|-',
      'chr1|50|A|G|0/1',
    ]);
  });

  test('an allele has the hash that it has in a VCF', async () => {
    const { rows } = await convertText(
      'maf',
      maf(['flanking_bps'], 'TP53 17 10 - - TT S CGA', 'TP53 17 21 CA CA - S ATCAG'),
    );
    const { variants } = await convertVcfText(vcf(['17 10 . G GTT . . .', '17 19 . ATCA AT . . .']));
    const hashes = (all: Record<string, unknown>[]) =>
      all.map((row) => String(row['variant_id']).split(':')[1]);
    assert.deepEqual(hashes(rows), hashes(variants));
    assert.equal(String(rows[0]?.['variant_id']).split(':')[2], 'TP53');
  });
});

describe('columns of a MAF', () => {
  const row = async (further: string[], values: string) =>
    (await convertText('maf', maf(further, `G 1 10 A A C S ${values}`))).rows[0] ?? {};

  test('without VEP the classification decides effect and group', async () => {
    const classified = async (name: string) =>
      pick([await row(['Variant_Classification'], name)], 'ebcanon_class', 'ebcanon_group')[0];
    assert.equal(await classified('Missense_Mutation'), 'missense_variant|missense');
    assert.equal(await classified('Splice_Site'), 'splice_site_variant|splice_site');
    assert.equal(await classified("3'UTR"), '3_prime_UTR_variant|UTR3');
    assert.equal(await classified('Frame_Shift_Del'), 'frameshift_variant|frameshift');
    assert.equal(await classified('IGR'), 'intergenic_variant|-');
    assert.equal(await classified('Something'), 'Something|-');
  });

  test('population frequencies of every flavour give least, greatest and global', async () => {
    const frequencies = async (further: string[], values: string) =>
      pick(
        [await row(further, values)],
        'minimum_allele_frequency',
        'maximum_allele_frequency',
        'population_allele_frequency',
      )[0];
    assert.equal(await frequencies(['1000G_AF', '1000G_EAS_AF', 'ESP_AA_AF'], '0.2 0.1 0.3'), '0.1|0.3|0.2');
    assert.equal(await frequencies(['ExAC_AF', 'ExAC_AF_AFR', 'gnomAD_AF'], '0.2 0.4 0.1'), '0.1|0.4|0.1');
    assert.equal(await frequencies(['GMAF', 'AFR_MAF'], 'C:0.1 T:0.3,C:0.2'), '0.1|0.2|0.1');
    assert.equal(await frequencies(['AF', 'Consequence'], '0.3 x'), '0.3|0.3|0.3');
    // Alone it is most likely that of the tumor.
    assert.equal(await frequencies(['AF', 't_depth'], '0.3 9'), '-|-|-');
    // Differing ones, percentages and decimal commas are left out, as of a VCF.
    assert.equal(await frequencies(['gnomAD_AF'], '0.01&0.01'), '0.01|0.01|0.01');
    for (const several of ['0.01&0.02', '0.01;0.02', '5%', '0,05'])
      assert.equal(await frequencies(['gnomAD_AF', 'ExAC_AF'], `${several} 0.5`), '0.5|0.5|0.5', several);
  });

  test('identifiers, clinical columns and status', async () => {
    const found = await row(
      [
        'dbSNP_RS',
        'COSMIC',
        'CLIN_SIG',
        'Mutation_Status',
        'Protein_Change',
        'CANONICAL',
        'CLNDN',
        'Existing_variation',
      ],
      'novel COSM476;COSM1 pathogenic Somatic p.V600E YES Melanoma,_malignant rs113488022,COSV56056643',
    );
    assert.deepEqual(
      [
        ...['rs_id', 'cosmic_id', 'clinical_significance', 'mutation_status'],
        ...['amino_acid_change', 'is_canonical', 'clinical_disease'],
      ].map((name) => found[name]),
      ['rs113488022', 'COSM476', 'pathogenic', 'Somatic', 'p.Val600Glu', true, 'Melanoma, malignant'],
    );
  });

  test('names of columns are known in any case, as old files write them', async () => {
    const text = tsv(
      header.replace('Start_Position', 'Start_position').toUpperCase(),
      'Unknown 1 10 A A C S',
    );
    assert.deepEqual(pick((await convertText('maf', text)).rows, 'gene', 'position'), ['-|10']);
  });

  test('passOnly leaves out what did not pass', async () => {
    const text = maf(['FILTER'], 'G 1 10 A A C S PASS', 'G 1 20 A A C S common_variant', 'G 1 30 A A C S .');
    const { rows, warnings } = await convertText('maf', text, { passOnly: true });
    assert.deepEqual([pick(rows, 'position'), warnings], [['10', '30'], []]);
    const without = await convertText('maf', maf([], 'G 1 10 A A C S'), { passOnly: true });
    assert.match(without.warnings[0]?.message ?? '', /passOnly was ignored/);
  });
});

test('samples are those of the records and those that cBioPortal lists as sequenced', async () => {
  const text = `#sequenced_samples: S3 S1\n${maf([], 'G 1 10 A A C S1', 'G 1 20 A A C S2')}`;
  const samples = [{ sampleId: 'S2', patientId: 'P2' }];
  const { rows, sequences } = await convertText('maf', text, { samples });
  assert.deepEqual(pick(rows, 'sample_id'), ['S1', 'S2']);
  assert.deepEqual(pick(sequences, 'id', 'patient_id'), ['S3|-', 'S1|-', 'S2|P2']);
});

test('missing columns are named', async () => {
  await assert.rejects(
    convertText('maf', tsv('Hugo_Symbol Tumor_Sample_Barcode HGVSp_Short', 'G S p.V600E')),
    {
      name: 'InputError',
      message: /no column Chromosome, Start_Position, Reference_Allele, Tumor_Seq_Allele2/,
    },
  );
});

describe('a real file', { skip: sharedDataSkip }, () => {
  const path = sharedData('maf/vcf2maf_test_b38_output.maf');

  test('a real MAF becomes rows in order', async () => {
    // grep -vc -e '^#' -e '^Hugo_Symbol' F; no sample in it has two alternates.
    const { rows, sequences, warnings } = await convertFile('maf', path, { patientId: 'P' });
    assert.deepEqual([rows.length, pick(sequences, 'id', 'patient_id')], [25, ['TUMOR|P']]);
    assert.match(warnings.map(({ message }) => message).join(), /^A sample has the name TUMOR, [^|]*$/);
  });

  test('a real MAF has its indels at vcf_pos, and a row has the values of its line', async () => {
    const { rows } = await convertFile('maf', path);
    // awk -F'\t' '$10=="INS"||$10=="DEL"{print $114,$102,$11,$13}' F: the base at vcf_pos is the second of flanking_bps.
    const indels = rows.filter((row) => String(row['reference']).length !== String(row['alternate']).length);
    assert.deepEqual(pick(indels, 'position', 'reference', 'alternate'), [
      '34880555|A|ACCTCTT',
      '34880650|T|TG',
      '41479182|GT|G',
    ]);
    // grep -P '\t38575684\t' F
    const row = rows.find((one) => Number(one['position']) === 38575684);
    const { variant_id: id, ...rest } = Object.fromEntries(
      Object.entries(row ?? {}).filter(([, value]) => value !== null),
    );
    assert.match(String(id), /^set:[0-9a-f]{16}:ERG$/);
    assert.deepEqual(rest, {
      variant_set_id: 'set',
      sample_id: 'TUMOR',
      chromosome: 'chr21',
      position: 38575684n,
      reference: 'G',
      alternate: 'A',
      minimum_allele_frequency: 0.00004776,
      maximum_allele_frequency: 0.0001056,
      population_allele_frequency: 0.00004776,
      rs_id: 'rs201302788',
      ebcanon_group: 'missense',
      ebcanon_class: 'missense_variant',
      impact: 'MODERATE',
      gene: 'ERG',
      transcript_id: 'ENST00000442448',
      biotype: 'protein_coding',
      amino_acid_change: 'p.Pro6Leu',
      genotype: '0/1',
      is_canonical: false,
    });
  });
});

test('blanks around the names of the columns hide none of them', async () => {
  const lines = maf([], 'A 1 10 A A C S').split('\n');
  const blank = (lines[0] ?? '')
    .replace('Tumor_Seq_Allele2', 'Tumor_Seq_Allele2 ')
    .replace('Chr', '\u00a0Chr');
  const { rows } = await convertText('maf', [blank, ...lines.slice(1)].join('\n'));
  assert.deepEqual(pick(rows, ...alleles), ['chr1|10|A|C|0/1']);
});

describe('records without rows are skipped', () => {
  const messages = async (text: string, options = {}) =>
    (await convertText('maf', text, options)).warnings.map(({ message }) => message);
  const allele1 = header.replace('Tumor_Seq_Allele2 ', '');

  test('a MAF without the second allele is reported, with the number of records without rows', async () => {
    const some = tsv(allele1, 'A 1 10 A A S', 'B 1 20 A C S', 'C 1 30 A A S');
    const without = /^The file has no column Tumor_Seq_Allele2: (\d+) records .* gave no row\.$/;
    const [one = '', ...others] = await messages(some);
    assert.deepEqual([without.exec(one)?.[1], others], ['2', []]);
    const none = await messages(tsv(allele1, 'A 1 10 A A S'));
    assert.deepEqual([none.length, without.exec(none[0] ?? '')?.[1]], [2, '1']);
  });

  test('a file without rows for any record is reported; one without records is not', async () => {
    const nothing = ['None of the 2 records gave a row: the file adds no data.'];
    const references = maf(['FILTER'], 'A 1 10 A A A S PASS', 'B 1 20 A A A S PASS');
    assert.deepEqual(await messages(references), nothing);
    const failed = maf(['FILTER'], 'A 1 10 A A C S low', 'B 1 20 A A C S low');
    assert.deepEqual(await messages(failed, { passOnly: true }), nothing);
    assert.deepEqual(await messages(maf([])), []);
    const { warnings } = await convertText('expression', tsv('__no_feature 5'), {}, 'S.htseq.counts');
    assert.match(warnings[0]?.message ?? '', /^None of the 1 records/);
  });
});

describe('the build of a MAF', () => {
  const buildsOf = async (...builds: string[]) => {
    const lines = builds.map((build, index) => `G 1 ${index + 1}0 A A C S ${build}`);
    const { tables, warnings } = await convertText('maf', maf(['NCBI_Build'], ...lines));
    return [tables.map(({ genomeBuild }) => genomeBuild), warnings.length];
  };

  test('NCBI_Build names the build of the positions; several values name none, with a warning', async () => {
    assert.deepEqual(await buildsOf('37', 'GRCh37'), [['GRCh37', undefined], 0]);
    assert.deepEqual(await buildsOf('', '38', ''), [['GRCh38', undefined], 0]);
    assert.deepEqual(await buildsOf('mm10'), [[undefined, undefined], 1]);
    assert.deepEqual(await buildsOf('37', '38'), [[undefined, undefined], 1]);
  });

  test('a build of the request applies to a file without one, and must not contradict the file', async () => {
    const { tables } = await convertText('maf', maf([], 'G 1 10 A A C S'), { genomeBuild: 'GRCh38' });
    assert.equal(tables[0]?.genomeBuild, 'GRCh38');
    const text = maf(['NCBI_Build'], 'G 1 10 A A C S 37');
    await assert.rejects(convertText('maf', text, { genomeBuild: 'GRCh38' }), {
      name: 'InputError',
      message: /positions of the file are on GRCh37, but the request names GRCh38/,
    });
  });
});

test('an end that is not that of the reference breaks the record: starts from 0, alleles of another record', async () => {
  const names =
    'Hugo_Symbol Chromosome Start_Position End_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode';
  const converted = await convertText(
    'maf',
    tsv(names, 'A 1 99 100 C T S1', 'B 1 100 100 C T S1', 'C 1 100 105 C T S1', 'D 1 100 101 - T S1'),
    { onError: 'skip' },
  );
  assert.deepEqual(converted.rows.map(({ gene }) => gene).toSorted(), ['B', 'D']);
  const reasons = converted.account?.leftOut.map(({ name }) => name).join();
  assert.match(reasons ?? '', /counts from 0.*contradict each other/);
});
