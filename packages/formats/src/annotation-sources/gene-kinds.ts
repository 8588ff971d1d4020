import type { ListKind, TableKind } from './source-kind.ts';

const ofGenes = { form: 'table', matchedBy: 'gene' } as const;

/** Evidence of CIViC for variants of one gene. */
const civic: TableKind = {
  ...ofGenes,
  name: 'civic',
  source: 'CIViC',
  recognised: [['molecular_profile', 'variant'], 'evidence_level', 'evidence_type', 'significance'],
  versionInName: /(\d{2}-[A-Z][a-z]{2}-\d{4})-ClinicalEvidence/i,
  keys: { gene: 'gene', protein: ['variant', 'molecular_profile'] },
  without: [
    { column: 'evidence_direction', words: ['does not support'] },
    { column: 'evidence_status', words: ['submitted', 'rejected'] },
  ],
  values: [
    {
      name: 'evidence',
      joined: ['evidence_level', 'significance', 'disease', ['therapies', 'drugs']],
      about: 'Level, conclusion, disease and therapies of one evidence, which the other values have singly.',
    },
    { name: 'evidence_level', text: 'evidence_level', about: 'Level of the evidence, `A` to `E`.' },
    {
      name: 'significance',
      text: 'significance',
      about: 'Conclusion of the evidence, such as `Sensitivity/Response`.',
    },
    { name: 'disease', text: 'disease', about: 'Disease of the evidence.' },
    { name: 'therapies', text: ['therapies', 'drugs'], about: 'Therapies of the evidence.' },
  ],
  watched: ['evidence_level', 'significance'],
  example: {
    lines: [
      'molecular_profile\tdisease\ttherapies\tevidence_type\tevidence_level\tsignificance',
      'BRAF V600E\tMelanoma\tVemurafenib\tPredictive\tA\tSensitivity/Response',
    ],
    file: '01-Nov-2026-ClinicalEvidenceSummaries.tsv',
    release: '01-Nov-2026',
    row: 'gene=BRAF | protein_change=p.Val600Glu | name=evidence_level | label=A',
  },
};

/** Variants of OncoKB: its list, or a file that its annotator wrote. */
const oncokb: TableKind = {
  ...ofGenes,
  name: 'oncokb',
  source: 'OncoKB',
  recognised: [
    ['Hugo_Symbol', 'Gene'],
    ['HGVSp_Short', 'Alteration', 'Protein Change'],
    ['ONCOGENIC', 'Oncogenicity'],
    ['MUTATION_EFFECT', 'Mutation Effect'],
  ],
  keys: { gene: ['Hugo_Symbol', 'Gene'], protein: ['HGVSp_Short', 'Protein Change', 'Alteration'] },
  values: [
    { name: 'oncogenic', text: ['ONCOGENIC', 'Oncogenicity'], about: 'Whether the variant is oncogenic.' },
    {
      name: 'mutation_effect',
      text: ['MUTATION_EFFECT', 'Mutation Effect'],
      about: 'Effect on the protein.',
    },
    {
      name: 'highest_level',
      text: ['HIGHEST_LEVEL', 'HIGHEST_SENSITIVE_LEVEL'],
      about: 'Highest level of evidence.',
    },
  ],
  watched: ['oncogenic', 'highest_level'],
  example: {
    lines: [
      'Hugo_Symbol\tHGVSp_Short\tMUTATION_EFFECT\tONCOGENIC\tHIGHEST_LEVEL',
      'BRAF\tp.V600E\tGain-of-function\tOncogenic\tLEVEL_1',
    ],
    row: 'gene=BRAF | protein_change=p.Val600Glu | name=oncogenic | label=Oncogenic',
  },
};

/** Recurrent residues of cancerhotspots.org. */
const hotspots: TableKind = {
  ...ofGenes,
  name: 'hotspots',
  source: 'Cancer hotspots',
  recognised: ['Hugo_Symbol', ['Amino_Acid_Position', 'Residue'], ['qvalue', 'q-value', 'Variants']],
  versionInName: /hotspots_v(\d+(?:\.\d+)*)/i,
  keys: { gene: 'Hugo_Symbol', protein: ['Residue', 'Amino_Acid_Position'] },
  values: [
    { name: 'qvalue', number: ['qvalue', 'q-value'], about: 'q-value of the recurrence of the residue.' },
  ],
  watched: [],
  example: {
    lines: ['Hugo_Symbol\tResidue\tqvalue', 'BRAF\tV600\t1e-20'],
    file: 'hotspots_v2.tsv',
    release: '2',
    row: 'gene=BRAF | protein_change=p.Val600 | name=qvalue | value=1e-20',
  },
};

/** Genes of COSMIC's Cancer Gene Census. */
const geneCensus: TableKind = {
  ...ofGenes,
  name: 'cancer-gene-census',
  source: 'Cancer Gene Census',
  recognised: ['GENE_SYMBOL', 'TIER', 'ROLE_IN_CANCER'],
  versionInName: /Census_v(\d+)/i,
  keys: { gene: 'GENE_SYMBOL' },
  values: [
    { name: 'tier', number: 'TIER', about: 'Tier of the gene.' },
    { name: 'role', text: 'ROLE_IN_CANCER', about: 'Role of the gene in cancer.' },
  ],
  watched: ['tier', 'role'],
  example: {
    lines: ['GENE_SYMBOL\tTIER\tROLE_IN_CANCER', 'BRAF\t1\toncogene, fusion'],
    file: 'Cosmic_CancerGeneCensus_v103_GRCh38.tsv.gz',
    release: '103',
    row: 'gene=BRAF | name=role | label=oncogene, fusion',
  },
};

/** Panel of PanelApp. */
const panelApp: TableKind = {
  ...ofGenes,
  name: 'panelapp',
  recognised: ['Entity Name', 'Entity type', 'Gene Symbol', ['Sources(; separated)', 'Level4']],
  keys: { gene: ['Gene Symbol', 'Entity Name'] },
  values: [
    { name: 'panel', text: ['Level4'], about: 'Name of the panel.' },
    { name: 'status', number: 'GEL_Status', about: 'Rating: 3 green, 2 amber, 1 red.' },
  ],
  watched: ['status'],
  example: {
    lines: [
      'Entity Name\tEntity type\tGene Symbol\tSources(; separated)\tLevel4\tGEL_Status',
      'BRCA1\tgene\tBRCA1\tExpert Review Green\tInherited breast cancer\t3',
    ],
    row: 'gene=BRCA1 | name=status | value=3',
  },
};

/** Tables of values by gene, the most specific first. */
export const geneTableKinds: readonly TableKind[] = [oncokb, civic, hotspots, geneCensus, panelApp];

/** Lists of genes and regions. */
export const listKinds: readonly ListKind[] = [
  {
    name: 'regions',
    form: 'bed',
    matchedBy: 'region',
    values: [{ name: 'region', text: 'name', number: 'score', about: 'Name and score of the region.' }],
    watched: [],
    example: {
      lines: ['track name=panel', 'chr7\t140753300\t140753400\tBRAF_15\t7'],
      row: 'chromosome=chr7 | position=140753301 | end_position=140753400 | name=region | value=7 | label=BRAF_15',
    },
  },
  {
    name: 'gene-sets',
    form: 'gmt',
    matchedBy: 'gene',
    values: [{ name: 'set', text: 'name', about: 'Set that the gene is in.' }],
    watched: ['set'],
    example: {
      lines: ['HALLMARK_APOPTOSIS\thttps://example.org/set\tCASP3\tBCL2', 'KEGG_MAPK\tna\tBRAF'],
      row: 'gene=CASP3 | name=set | label=HALLMARK_APOPTOSIS',
    },
  },
  {
    name: 'genes',
    form: 'genes',
    matchedBy: 'gene',
    values: [{ name: 'listed', text: 'name', about: 'The list that the gene is in.' }],
    watched: [],
    example: {
      lines: ['gene', 'BRCA1', 'BRCA2'],
      file: 'panel.txt',
      row: 'gene=BRCA1 | name=listed | label=panel',
    },
  },
];
