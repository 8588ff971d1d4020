import type { MafProfile } from '../profile.ts';

/** Mutation Annotation Format: GDC, TCGA, vcf2maf, Funcotator, Oncotator, cBioPortal. */
export const maf: MafProfile = {
  type: 'maf',
  program: 'MAF',
  recognised: [
    ...['Hugo_Symbol', 'Chromosome', 'Start_Position', 'Reference_Allele', 'Tumor_Sample_Barcode'],
    ['Tumor_Seq_Allele2', 'Tumor_Seq_Allele1'],
  ],
  renamed: {},
  example: {
    record:
      'Hugo_Symbol=BRAF | NCBI_Build=GRCh38 | Chromosome=7 | Start_Position=140753336 | Reference_Allele=A | Tumor_Seq_Allele1=A | Tumor_Seq_Allele2=T | Tumor_Sample_Barcode=S1',
    row: 'sample_id=S1 | gene=BRAF | chromosome=chr7 | position=140753336 | alternate=T | genotype=0/1',
  },
};
