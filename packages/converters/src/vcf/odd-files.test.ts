/** Odd files of real callers and databases: each is read correctly, or refused with a remedy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bgzf } from '../../../../test/support/bam.ts';
import { annotationsOfText, type Conversion, convertText, type Row } from './conversion.fixture.ts';

const vcf = (samples: string, ...lines: string[]): string =>
  `##fileformat=VCFv4.2\n#CHROM POS ID REF ALT QUAL FILTER INFO${samples && ` FORMAT ${samples}`}\n${lines.join('\n')}\n`.replaceAll(
    ' ',
    '\t',
  );
const pick = (rows: Row[], ...columns: string[]): string[] =>
  rows.map((row) => columns.map((column) => row[column] ?? '-').join('|'));
const warned = ({ warnings }: Conversion): string => warnings.map(({ message }) => message).join();

test('letters that are no bases are refused; ambiguity codes of either case are taken', async () => {
  for (const alleles of ['HELLO WORLD', 'I D', 'A I', 'A AI', 'X A', 'U A'])
    await assert.rejects(
      convertText(vcf('S', `1 100 . ${alleles} . . . GT 0/1`)),
      { name: 'InputError' },
      alleles,
    );
  const { variants } = await convertText(
    vcf('S', '1 100 . R acgtn . . . GT 0/1', '1 200 . N Y . . . GT 0/1'),
  );
  assert.equal(variants.length, 2);
});

test('a second header ends the ingestion, also where broken lines are skipped', async () => {
  const text = vcf('S1 S2', '1 100 . A G . . . GT 0/1 0/0') + vcf('S2 S1', '1 200 . A G . . . GT 0/1 0/0');
  for (const onError of ['skip', 'fail'] as const)
    await assert.rejects(convertText(text, { onError }), {
      name: 'InputError',
      message: /^Line 4 .* a second header begins here/,
    });
});

test('a BGZF file without its last block is refused, or warned of where broken parts are skipped', async () => {
  const text = vcf('S', ...Array.from({ length: 5000 }, (_, at) => `1 ${at + 1} . A G . . . GT 0/1`));
  const whole = bgzf(Buffer.from(text));
  assert.equal(gunzipSync(whole).length, text.length);
  const cut = whole.subarray(0, whole.length - 28);
  await assert.rejects(convertText(cut), { name: 'InputError', message: /has no BGZF end-of-file block/ });
  const skipped = await convertText(cut, { onError: 'skip' });
  assert.equal(skipped.variants.length, 5000);
  assert.match(warned(skipped), /has no BGZF end-of-file block/);
  assert.equal(warned(await convertText(whole)), '');
  assert.equal(warned(await convertText(gzipSync(text))), '');
});

test('sample names that are not UTF-8 are refused; other header lines may be', async () => {
  const text = (first: string, sample: string): Buffer =>
    Buffer.from(`##source=${first}\n${vcf(sample, '1 100 . A G . . . GT 0/1')}`, 'latin1');
  await assert.rejects(convertText(text('x', 'M\u00fcller')), { name: 'InputError', message: /not UTF-8/ });
  assert.equal((await convertText(text('M\u00fcller', 'S'))).variants.length, 1);
});

const frequencies = ['minimum_allele_frequency', 'maximum_allele_frequency', 'population_allele_frequency'];

test('frequencies of dbSNP, of gnomAD 4 and of VEP before 88 are read, and only those of the alternate', async () => {
  const dbsnp = await annotationsOfText(
    vcf('', '1 100 . A G,T . . FREQ=1000Genomes:0.97,0.01,0.02|GnomAD:0.96,0.02,.|KOREAN:0.9,0.1,0'),
  );
  assert.deepEqual(pick(dbsnp.rows, 'alternate', ...frequencies), ['G|0.01|0.1|0.02', 'T|0|0.02|0.02']);
  const info =
    'AF_genomes=0.012;AF_joint=0.01;AF_grpmax_joint=0.03;AF_joint_XX=0.5;AF_joint_afr_XY=0.6;AF_joint_raw=0.7;AF_exomes_afr=0.0001;AF_genomes_sas=0.05;AF_genomes_raw=0.9;AF_raw=0.8;fafmax_faf95_max_joint=0.8';
  const joint = await annotationsOfText(vcf('', `1 100 . A G . . ${info}`));
  assert.deepEqual(pick(joint.rows, ...frequencies), ['0.0001|0.05|0.01']);
  const csq = (values: string): string =>
    `##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Consequence|IMPACT|SYMBOL|Gene|GMAF|EUR_MAF|ExAC_MAF">\n${vcf('S', `1 200 . C T . . CSQ=T|missense_variant|MODERATE|TP53|ENSG1|${values} GT 0/1`)}`;
  const read = async (values: string): Promise<string[]> =>
    pick((await convertText(csq(values))).variants, ...frequencies);
  assert.deepEqual(await read('T:0.3|T:0.2|T:0.25'), ['0.2|0.3|0.3']);
  // The minor allele may be the reference.
  assert.deepEqual(await read('C:0.3|A:0.1&T:0.2|C:0.25'), ['0.2|0.2|-']);
});

test('a number of copies below 0 is none: the genotype counts', async () => {
  const { copies } = await convertText(
    vcf('S', '1 1000 . A <DEL> . . END=2000 GT:CN 0/1:-1', '1 5000 . A <DUP> . . END=6000 GT:CN 0/1:-1'),
  );
  assert.deepEqual(pick(copies, 'start_position', 'copy_number', 'status'), [
    '1001|1|partialLoss',
    '5001|-|gain',
  ]);
});

test('copies of a sex chromosome are compared with one where the genotype has one allele', async () => {
  const line = (chromosome: string, alternate: string, genotype: string, copies: number): string =>
    `${chromosome} 9000 . N <${alternate}> . . END=12000 GT:CN ${genotype}:${copies}`;
  const statuses = async (...lines: string[]): Promise<unknown[]> =>
    (await convertText(vcf('S', ...lines))).copies.map(({ status }) => status);
  assert.deepEqual(await statuses(line('chrX', 'DUP', '1', 2)), ['gain']);
  assert.deepEqual(await statuses(line('chrX', 'DEL', '1', 0)), ['loss']);
  assert.deepEqual(await statuses(line('chrX', 'DUP', '0/1', 2)), ['gain']);
  assert.deepEqual(await statuses(line('chr1', 'DEL', '1', 1)), ['partialLoss']);
});

test('two records of a joint that name each other are one fusion, also where their places differ', async () => {
  const mates = (distance: number): string[] => [
    '1 57655541 o A ]1:57655591]A . . MATEID=h;SVTYPE=BND GT:VF .:17',
    `1 ${57655591 + distance} h C C[1:${57655541 + distance}[ . . MATEID=o;SVTYPE=BND GT:VF .:17`,
  ];
  assert.equal((await convertText(vcf('S', ...mates(11)))).fusions.length, 1);
  assert.equal((await convertText(vcf('S', ...mates(0)))).fusions.length, 1);
  // Ids that repeat far away belong to other joints.
  assert.equal((await convertText(vcf('S', ...mates(5000)))).fusions.length, 2);
});

test('LUMPY calls no genotypes: its evidence makes the rows', async () => {
  const { fusions, copies } = await convertText(
    vcf(
      'S',
      '1 1000 1_1 N N]2:2000] . . SVTYPE=BND;MATEID=1_2 GT:SU:PE ./.:4:4',
      '2 2000 1_2 N N]1:1000] . . SVTYPE=BND;SECONDARY;MATEID=1_1 GT:SU:PE ./.:4:4',
      '1 5000 2 N <DEL> . . SVTYPE=DEL;SVLEN=-100;END=5100 GT:SU:PE ./.:4:4',
      '1 7000 3 N <DEL> . . SVTYPE=DEL;SVLEN=-100;END=7100 GT:SU:PE ./.:0:0',
    ),
  );
  assert.equal(fusions.length, 1);
  assert.deepEqual(pick(copies, 'start_position', 'copy_number', 'status'), ['5001|-|partialLoss']);
});

test('an annotation whose allele may be one of two alternates is of neither, and both are counted', async () => {
  const ann = (...alleles: string[]): string =>
    alleles
      .map(
        (allele, at) =>
          `${allele}|${at ? 'frameshift_variant|HIGH' : 'missense_variant|MODERATE'}|GENEA|ENSG1|transcript|T1|protein_coding`,
      )
      .join();
  const header =
    '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID | Feature_Type | Feature_ID | Transcript_BioType\'">\n';
  const read = async (alternates: string, ...alleles: string[]): Promise<Conversion> =>
    convertText(header + vcf('S', `1 100 . GGGGG ${alternates} . . ANN=${ann(...alleles)} GT 1/2`));
  const unclear = await read('AGGGT,GAGGGT', 'AGGGT', 'AGGGT');
  assert.deepEqual(pick(unclear.variants, 'ebcanon_class'), ['-', '-']);
  assert.match(warned(unclear), /2 alternates/);
  const clear = await read('AGGGT,GAGGGT', 'AGGGT', 'GAGGGT');
  assert.deepEqual(pick(clear.variants, 'ebcanon_class').sort(), ['frameshift_variant', 'missense_variant']);
});

test('somatic calls without genotypes are rows of the tumor, and have no sample in other files', async () => {
  const lines = ['1 100 . C T . . SOMATIC;SGT=CC->CT DP 40 50', '1 200 . CA C . . SOMATIC DP 40 50'];
  const { variants, sequences } = await convertText(vcf('NORMAL TUMOR', ...lines));
  assert.deepEqual(pick(variants, 'sample_id', 'position', 'genotype'), ['TUMOR|100|-', 'TUMOR|200|-']);
  assert.equal(sequences.length, 2);
  assert.equal((await convertText(vcf('A TUMOR', ...lines))).variants.length, 0);
  const germline = lines.map((line) => line.replace('SOMATIC', 'X'));
  assert.equal((await convertText(vcf('NORMAL TUMOR', ...germline))).variants.length, 0);
});

test('a record whose ALT has a sequence twice is refused; symbolic alternates may repeat', async () => {
  for (const alternates of ['AT,AT', 'T,t', 'T,<NON_REF>,T'])
    await assert.rejects(
      convertText(vcf('S', `1 100 . A ${alternates} . . . GT 1/2`)),
      { name: 'InputError', message: /Line 3 is not a valid VCF record: ALT repeats an allele/ },
      alternates,
    );
  const { copies } = await convertText(vcf('S', '1 100 . N <DEL>,<DEL> . . SVTYPE=DEL;SVLEN=10,20 GT 1/2'));
  assert.equal(copies.length, 2);
});

test('chromosomes that PLINK numbers stay as they are, with a warning', async () => {
  const text = (chromosome: string): string => vcf('S', `${chromosome} 100 . A G . . . GT 0/1`);
  const numbered = await convertText(text('23'));
  assert.deepEqual(pick(numbered.variants, 'chromosome'), ['23']);
  assert.match(warned(numbered), /named 23 to 26\. PLINK uses these for X, Y, XY and MT/);
  assert.equal(warned(await convertText(text('22'))), '');
});

test('a QUAL that is no number is NULL, with a warning that counts the records', async () => {
  const records = ['1,5', 'high', '.', 'inf', '5e-1'].map(
    (quality, at) => `1 ${at + 1} . A G ${quality} . . GT 0/1`,
  );
  const conversion = await convertText(vcf('S', ...records));
  assert.deepEqual(pick(conversion.calls, 'quality'), ['-', '-', '-', '-', '0.5']);
  assert.match(warned(conversion), /^2 records have a QUAL that is no quality/);
});

test('numbers that no column of calls may hold are NULL, and a warning counts each once', async () => {
  const record = (call: string): string => `1 100 . A G . . . GT:DP:AD:GQ ${call}`;
  const odd = ['0/1:2147483647:4,6:50', '0/1:10.5:4,6:50', '0/1:10:.:.', '0/1:10:4,6:4e9'];
  const conversion = await convertText(vcf('S', ...odd.map(record)));
  const read = pick(conversion.calls, 'depth', 'alternate_depth', 'genotype_quality');
  assert.deepEqual(read, ['-|6|50', '-|6|50', '10|-|-', '10|6|-']);
  assert.match(warned(conversion), /^3 values of variant_call are no depths, reads or qualities/);
});

test('an alternate that equals the reference has no row, and a warning counts it', async () => {
  const conversion = await convertText(
    vcf('S', '1 100 . T T . . SVTYPE=DEL;SVLEN=56 GT 0/1', '1 200 . AC ac,AT . . . GT 2/1'),
  );
  assert.deepEqual(pick(conversion.variants, 'position', 'alternate', 'genotype'), ['201|T|1/0']);
  assert.match(warned(conversion), /2 alternates equal the reference/);
});

test('an END before POS is left out with a warning', async () => {
  const conversion = await convertText(
    vcf('S', '1 500 . N <DEL> . . SVTYPE=DEL;END=400 GT 0/1', '1 700 . N <DEL> . . END=1;SVLEN=-9 GT 0/1'),
  );
  assert.deepEqual(pick(conversion.copies, 'start_position', 'end_position'), ['501|-', '701|709']);
  assert.match(warned(conversion), /^2 copy numbers have an END before POS/);
});

test('depths of local alleles are those of the alleles that LAA or LA names', async () => {
  const { calls } = await convertText(
    vcf(
      'S',
      '1 10 . A C,G,T . . . LGT:LAA:LAD 0/1:3:5,6',
      '1 20 . A C,G,T . . . LGT:LA:LAD 0/1:0,2:7,8',
      '1 30 . A C,G . . . LGT:LAA:LAD 0/1:1:7',
    ),
  );
  assert.deepEqual(pick(calls, 'position', 'reference_depth', 'alternate_depth'), [
    '10|5|6',
    '20|7|8',
    '30|-|-',
  ]);
});

test('a header whose lines name different builds causes a warning, and the lengths of contigs decide', async () => {
  const headed = (...meta: string[]): string =>
    vcf('S', '1 100 . A C . . . GT 0/1').replace('\n', `\n${meta.join('\n')}\n`);
  const found = await convertText(headed('##reference=GRCh37', '##contig=<ID=1,length=248956422>'));
  assert.match(warned(found), /\(contigs: GRCh38; names of the reference: GRCh37\)\. genome_build is GRCh38/);
  const lengths = ['##contig=<ID=1,length=248956422>', '##contig=<ID=2,length=243199373>'];
  assert.match(
    warned(await convertText(headed(...lengths))),
    /\(contigs: GRCh37, GRCh38\)\. genome_build is NULL/,
  );
  assert.equal(warned(await convertText(headed('##reference=GRCh38', lengths[0] ?? ''))), '');
});

test('an alternate that claims a junction alone changes no copies, unless the sample has a number of them', async () => {
  const { copies, warnings } = await convertText(
    vcf(
      'S',
      '1 10 . A <DEL> . . END=20;SVCLAIM=J GT:CN 0/1:.',
      '1 30 . A <DUP> . . END=40;SVCLAIM=J GT:CN 1/1:4',
      '1 50 . A <DEL> . . END=60;SVCLAIM=DJ GT:CN 0/1:.',
      '1 70 . A <DEL>,<DUP> . . SVLEN=9,8;SVCLAIM=D,J GT:CN 0/1:.',
      '1 90 . A <CNV> . . END=99;SVTYPE=DEL;SVCLAIM=J GT:CN 0/1:.',
    ),
  );
  assert.deepEqual(pick(copies, 'start_position', 'copy_number', 'status'), [
    '11|-|-',
    '31|4|gain',
    '51|1|partialLoss',
    '71|1|partialLoss',
    '91|-|-',
  ]);
  assert.match(warnings[0]?.message ?? '', /^3 deletions or duplications claim a junction alone/);
});

test('copies of Y are compared with one, and a called deletion of it is a loss', async () => {
  const { copies } = await convertText(
    vcf(
      'S',
      'Y 10 . A <DEL> . . END=20 GT 1/1',
      'Y 30 . A <CNV> . . END=40 GT:CN ./.:1',
      'Y 50 . A <CNV> . . END=60 GT:CN ./.:0',
      'Y 70 . A <CNV> . . END=80 GT:CN ./.:2',
    ),
  );
  assert.deepEqual(pick(copies, 'copy_number', 'status'), ['0|loss', '1|neutral', '0|-', '2|gain']);
});
