/** Alterations and profiles that conversions derive from their other tables. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutationClass, mutationClasses } from '@ploidy/formats';
import * as tabular from '../tabular/conversion.fixture.ts';
import * as calls from '../vcf/conversion.fixture.ts';

const { tsv, pick } = tabular;
const mafColumns =
  'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode Variant_Classification';

describe('alterations of a MAF', () => {
  test('each classification has its class, and silent changes are none', async () => {
    const kinds = [
      ['BRAF', 'Missense_Mutation', 'missense'],
      ['TP53', 'Nonsense_Mutation', 'truncating'],
      ['TP53', 'Frame_Shift_Del', 'truncating'],
      ['EGFR', 'In_Frame_Ins', 'inframe'],
      ['MET', 'Splice_Region', 'splice'],
      ['VHL', 'Translation_Start_Site', 'truncating'],
      ['TERT', "5'Flank", 'promoter'],
      ['MYC', "5'Flank", undefined],
      ['KRAS', 'Silent', undefined],
      ['KRAS', 'Intron', undefined],
      ['KRAS', "3'UTR", undefined],
      ['KRAS', 'IGR', undefined],
      ['KRAS', 'RNA', undefined],
    ] as const;
    const lines = kinds.map(([gene, kind], at) => `${gene} 1 ${100 + at} A C S${at} ${kind}`);
    const { alterations, profiles } = await tabular.convertText('maf', tsv(mafColumns, ...lines));
    assert.deepEqual(
      pick(alterations, 'sample_id', 'gene', 'class').sort(),
      kinds.flatMap(([gene, , name], at) => (name ? [`S${at}|${gene}|${name}`] : [])).sort(),
    );
    // Samples with silent mutations alone were examined as well.
    assert.equal(profiles.length, kinds.length);
    assert.deepEqual(new Set(pick(profiles, 'kind', 'panel_id')), new Set(['mutation|-']));
  });

  test('reads, origin and judgement come with the mutation; what was not called is none', async () => {
    const { alterations } = await tabular.convertText(
      'maf',
      tsv(
        `${mafColumns} t_alt_count t_ref_count Mutation_Status HGVSp_Short cbp_driver`,
        'BRAF 7 140453136 A T S1 Missense_Mutation 30 70 Somatic p.V600E Putative_Driver',
        'TP53 17 100 C T S1 Missense_Mutation 1 3 GERMLINE p.R1C Putative_Passenger',
        'KRAS 12 100 C T S1 Missense_Mutation 1 3 UNCALLED p.G12D ',
      ),
    );
    assert.deepEqual(pick(alterations, 'gene', 'allele_fraction', 'status', 'protein_change', 'driver'), [
      'BRAF|0.3|somatic|p.Val600Glu|driver',
      'TP53|0.25|germline|p.Arg1Cys|passenger',
    ]);
  });

  test('a repeated record is one alteration, and a MAF without effects examined no gene', async () => {
    const line = 'BRAF 7 140453136 A T S1 Missense_Mutation';
    assert.equal((await tabular.convertText('maf', tsv(mafColumns, line, line))).alterations.length, 1);
    const bare = mafColumns.replace(' Variant_Classification', '');
    const { profiles } = await tabular.convertText('maf', tsv(bare, 'BRAF 7 140453136 A T S1'));
    assert.deepEqual(profiles, []);
  });
});

describe('alterations of copy numbers, fusions and expression', () => {
  test('levels of genes have classes; segments without genes examined none', async () => {
    const levels = tsv('Hugo_Symbol S1 S2 S3 S4 S5', 'MYC 2 1 0 -1 -2', 'EGFR 0 0 0 0 0');
    const found = await tabular.convertText('copynumber', levels, {}, 'data_cna.txt');
    assert.deepEqual(pick(found.alterations, 'sample_id', 'gene', 'class'), [
      'S1|MYC|amplification',
      'S2|MYC|gain',
      'S4|MYC|loss',
      'S5|MYC|deletion',
    ]);
    assert.equal(found.profiles.length, 5);
    const segments = tsv('ID chrom loc.start loc.end num.mark seg.mean', 'S1 1 1 1000 5 0.9');
    assert.deepEqual((await tabular.convertText('copynumber', segments)).profiles, []);
  });

  test('each gene of a fusion is altered, with the other as its partner', async () => {
    const text = tsv(
      'Sample_Id SV_Status Site1_Hugo_Symbol Site2_Hugo_Symbol Site1_Chromosome Site1_Position Site2_Chromosome Site2_Position',
      'S1 SOMATIC EML4 ALK 2 42522656 2 29446394',
      'S2 GERMLINE ROS1 ROS1 6 117650609 6 117650700',
    );
    const { alterations } = await tabular.convertText('fusion', text);
    assert.deepEqual(pick(alterations, 'sample_id', 'gene', 'partner_gene', 'position', 'status'), [
      'S1|ALK|EML4|29446394|somatic',
      'S1|EML4|ALK|42522656|somatic',
      'S2|ROS1|ROS1|117650609|germline',
    ]);
  });

  test('expression is a profile without alterations', async () => {
    const { alterations, profiles } = await tabular.convertText(
      'expression',
      tsv('gene_id expression', 'TP53 3.5'),
      { sampleId: 'S1', testType: 'WGS' },
    );
    assert.deepEqual(
      [alterations, pick(profiles, 'sample_id', 'kind', 'assay')],
      [[], ['S1|expression|genome']],
    );
  });
});

describe('alterations of a VCF', () => {
  const meta = [
    '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID | Feature_Type | Feature_ID | Transcript_BioType | Rank | HGVS.c | HGVS.p | cDNA.pos / cDNA.length | CDS.pos / CDS.length | AA.pos / AA.length | Distance | ERRORS / WARNINGS / INFO\'">',
  ];
  const annotated = (effect: string, gene: string) =>
    `ANN=G|${effect}|MODERATE|${gene}|${gene}|transcript|T1|protein_coding|1/1|c.1A>G|p.Lys1Arg|1/9|1/9|1/3||`;

  test('genotypes name the carriers, and all samples were examined', async () => {
    const { alterations, profiles } = await calls.convertText(
      calls.vcf(
        [
          `chr1 100 . A G 50 PASS ${annotated('missense_variant', 'BRAF')} GT:AD 0/1:6,2 0/0:9,0 ./.:.`,
          `chr1 200 . A G 50 PASS ${annotated('synonymous_variant', 'BRAF')} GT:AD 0/1:6,2 1/1:0,9 0/1:5,5`,
        ],
        { meta, samples: ['A', 'B', 'C'] },
      ),
    );
    assert.deepEqual(calls.pick(alterations, 'sample_id', 'gene', 'class', 'allele_fraction'), [
      'A BRAF missense 0.25',
    ]);
    assert.deepEqual(calls.pick(profiles, 'sample_id', 'kind'), ['A mutation', 'B mutation', 'C mutation']);
  });

  test('a VCF without annotations examined no gene', async () => {
    const { alterations, profiles } = await calls.convertText(
      calls.vcf(['chr1 100 . A G 50 PASS . GT 0/1'], { samples: ['A'] }),
    );
    assert.deepEqual([alterations, profiles], [[], []]);
  });

  test('the normal sample beside a tumour was not examined for mutations of tumours', async () => {
    const { alterations, profiles } = await calls.convertText(
      calls.vcf([`chr1 100 . A G 50 PASS SOMATIC;${annotated('stop_gained', 'TP53')} DP 9 9`], {
        meta,
        samples: ['NORMAL', 'TUMOR'],
      }),
      { sampleId: 'T' },
    );
    assert.deepEqual(calls.pick(profiles, 'sample_id'), ['T']);
    assert.deepEqual(calls.pick(alterations, 'sample_id', 'class'), ['T truncating']);
  });
});

test('no effect has two classes', () => {
  const terms = Object.values(mutationClasses).flat();
  assert.equal(new Set(terms).size, terms.length);
  for (const [name, list] of Object.entries(mutationClasses))
    for (const term of list) assert.equal(mutationClass(term), name);
});
