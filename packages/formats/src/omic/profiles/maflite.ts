import type { MafProfile } from '../profile.ts';

/** Maflite of Oncotator and MutSig: places, alleles and samples without annotations. */
export const maflite: MafProfile = {
  type: 'maf',
  program: 'maflite',
  recognised: ['chr', 'start', 'ref_allele', ['alt_allele', 'tum_allele2'], 'tumor_barcode'],
  renamed: {
    Tumor_Sample_Barcode: 'tumor_barcode',
    NCBI_Build: 'build',
    Chromosome: 'chr',
    Start_Position: 'start',
    Reference_Allele: 'ref_allele',
    Tumor_Seq_Allele1: 'tum_allele1',
    Tumor_Seq_Allele2: ['alt_allele', 'tum_allele2'],
  },
  example: {
    record:
      'build=37 | chr=7 | start=140453136 | end=140453136 | ref_allele=A | tum_allele1=A | tum_allele2=T | tumor_barcode=S1',
    row: 'sample_id=S1 | chromosome=chr7 | position=140453136 | alternate=T | genotype=0/1',
  },
};
