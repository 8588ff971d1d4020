import type { MafProfile } from '../profile.ts';

/** Somatic mutations at Xena (`*.mutect2_snv.tsv`, `*.somaticmutation_wxs.tsv`, `mc3.txt`). */
export const xenaMutations: MafProfile = {
  type: 'maf',
  program: 'mutations of Xena',
  recognised: [
    ['sample', 'Sample_ID'],
    'gene',
    ['chrom', 'chr'],
    'start',
    ['ref', 'reference'],
    'alt',
    'effect',
  ],
  renamed: {
    Tumor_Sample_Barcode: ['sample', 'Sample_ID'],
    Hugo_Symbol: 'gene',
    Chromosome: ['chrom', 'chr'],
    Start_Position: 'start',
    Reference_Allele: ['ref', 'reference'],
    Tumor_Seq_Allele2: 'alt',
    Consequence: 'effect',
    HGVSp_Short: 'Amino_Acid_Change',
    t_vaf: ['dna_vaf', 'DNA_VAF'],
  },
  example: {
    record:
      'sample=TCGA-A1-A0SB-01 | chr=7 | start=140453136 | end=140453136 | reference=A | alt=T | gene=BRAF | effect=missense_variant | Amino_Acid_Change=p.V600E | DNA_VAF=0.25',
    row: 'gene=BRAF | position=140453136 | alternate=T | amino_acid_change=p.Val600Glu | allele_fraction=0.25',
  },
};
