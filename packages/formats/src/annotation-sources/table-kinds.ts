import type { TableKind } from './source-kind.ts';

const table = { form: 'table' } as const;

/** ClinVar's table of alleles, of which each genome build has a row. */
const variantSummary: TableKind = {
  ...table,
  name: 'clinvar-summary',
  source: 'ClinVar summary',
  matchedBy: 'allele',
  recognised: ['AlleleID', 'ClinicalSignificance', 'PositionVCF', 'ReferenceAlleleVCF', 'AlternateAlleleVCF'],
  versionInName: /variant_summary_(\d{4}-\d{2})/i,
  keys: {
    chromosome: 'Chromosome',
    position: 'PositionVCF',
    reference: 'ReferenceAlleleVCF',
    alternate: 'AlternateAlleleVCF',
    gene: 'GeneSymbol',
    build: 'Assembly',
  },
  fills: {
    clinvar_allele_id: 'AlleleID',
    clinical_significance: 'ClinicalSignificance',
    clinical_review: 'ReviewStatus',
    clinical_disease: 'PhenotypeList',
  },
  values: [
    { name: 'last_evaluated', text: 'LastEvaluated', about: 'Date of the last evaluation, as in the file.' },
    { name: 'submitters', number: 'NumberSubmitters', about: 'Number of submitters.' },
  ],
  watched: ['clinical_significance', 'clinical_review'],
  example: {
    lines: [
      '#AlleleID\tGeneSymbol\tClinicalSignificance\tLastEvaluated\tPhenotypeList\tAssembly\tChromosome\tReviewStatus\tNumberSubmitters\tPositionVCF\tReferenceAlleleVCF\tAlternateAlleleVCF',
      '29000\tBRAF\tPathogenic\tMay 23, 2025\tMelanoma\tGRCh38\t7\treviewed by expert panel\t30\t140753336\tA\tT',
    ],
    file: 'variant_summary_2026-11.txt.gz',
    release: '2026-11',
    row: 'chromosome=chr7 | position=140753336 | alternate=T | clinical_significance=Pathogenic | clinical_review=reviewed_by_expert_panel',
  },
};

/** Classes of missense substitutions of AlphaMissense. */
const alphaMissense: TableKind = {
  ...table,
  name: 'alphamissense',
  source: 'AlphaMissense',
  matchedBy: 'allele',
  recognised: ['CHROM', 'POS', 'am_pathogenicity', 'am_class'],
  keys: {
    chromosome: 'CHROM',
    position: 'POS',
    reference: 'REF',
    alternate: 'ALT',
    transcript: 'transcript_id',
    build: 'genome',
  },
  values: [
    {
      name: 'pathogenicity',
      number: 'am_pathogenicity',
      text: 'am_class',
      about: 'Predicted pathogenicity from 0 to 1, with its class.',
    },
  ],
  watched: ['pathogenicity'],
  example: {
    lines: [
      '# Copyright 2023 DeepMind Technologies Limited',
      '#CHROM\tPOS\tREF\tALT\tgenome\tuniprot_id\ttranscript_id\tprotein_variant\tam_pathogenicity\tam_class',
      'chr7\t140753336\tA\tT\thg38\tP15056\tENST00000288602.6\tV600E\t0.9927\tlikely_pathogenic',
    ],
    row: 'chromosome=chr7 | position=140753336 | name=pathogenicity | value=0.9927 | label=likely_pathogenic',
  },
};

/** REVEL's scores of missense substitutions, with positions on two builds. */
const revel: TableKind = {
  ...table,
  name: 'revel',
  source: 'REVEL',
  matchedBy: 'allele',
  recognised: ['chr', ['hg19_pos', 'grch38_pos'], 'ref', 'alt', 'REVEL'],
  versionInName: /revel[-_]v?(\d+(?:\.\d+)+)/i,
  keys: {
    chromosome: 'chr',
    position: { GRCh37: 'hg19_pos', GRCh38: 'grch38_pos' },
    reference: 'ref',
    alternate: 'alt',
    transcript: 'Ensembl_transcriptid',
  },
  values: [{ name: 'score', number: 'REVEL', about: 'Score from 0 to 1; higher is more likely pathogenic.' }],
  watched: [],
  example: {
    lines: [
      'chr,hg19_pos,grch38_pos,ref,alt,aaref,aaalt,REVEL,Ensembl_transcriptid',
      '7,140453136,140753336,A,T,V,E,0.931,ENST00000288602',
    ],
    file: 'revel-v1.3_all_chromosomes.csv',
    release: '1.3',
    row: 'chromosome=chr7 | position=140753336 | reference=A | alternate=T | name=score | value=0.931',
  },
};

const score = (name: string, number: string, about: string) => ({ name, number, about });

/** Substitutions of dbNSFP, with the scores that are asked for most. */
const dbnsfp: TableKind = {
  ...table,
  name: 'dbnsfp',
  source: 'dbNSFP',
  matchedBy: 'allele',
  genomeBuild: 'GRCh38',
  recognised: ['chr', 'pos(1-based)', 'ref', 'alt', 'genename', ['REVEL_score', 'CADD_phred', 'SIFT_score']],
  versionInName: /dbNSFPv?(\d+(?:\.\d+)*[a-z]?)/i,
  keys: { chromosome: 'chr', position: 'pos(1-based)', reference: 'ref', alternate: 'alt' },
  values: [
    score('CADD_phred', 'CADD_phred', 'CADD, scaled as phred.'),
    score('REVEL_score', 'REVEL_score', 'REVEL, the greatest of the transcripts.'),
    score('AlphaMissense_score', 'AlphaMissense_score', 'AlphaMissense, the greatest of the transcripts.'),
    score('MetaRNN_score', 'MetaRNN_score', 'MetaRNN, the greatest of the transcripts.'),
    score('BayesDel_noAF_score', 'BayesDel_noAF_score', 'BayesDel without frequencies.'),
    score('phyloP100way_vertebrate', 'phyloP100way_vertebrate', 'Conservation among 100 vertebrates.'),
  ],
  watched: [],
  example: {
    lines: [
      '#chr\tpos(1-based)\tref\talt\taaref\taaalt\tgenename\tREVEL_score\tCADD_phred',
      '7\t140753336\tA\tT\tV\tE\tBRAF;BRAF\t0.931;.\t32',
    ],
    file: 'dbNSFP5.2a_variant.chr7.gz',
    release: '5.2a',
    row: 'chromosome=chr7 | position=140753336 | alternate=T | name=REVEL_score | value=0.931',
  },
};

/** Tables of values by allele, the most specific first. */
export const tableKinds: readonly TableKind[] = [variantSummary, alphaMissense, dbnsfp, revel];
