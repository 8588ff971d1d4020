import type { MafProfile } from '../profile.ts';

/** Mutations of cell lines of DepMap (`OmicsSomaticMutations.csv`), with alleles as in a VCF. */
export const depMapMutations: MafProfile = {
  type: 'maf',
  program: 'mutations of DepMap',
  recognised: ['Chrom', 'Pos', 'Ref', 'Alt', 'HugoSymbol', 'ModelID'],
  renamed: {
    Tumor_Sample_Barcode: 'ModelID',
    Hugo_Symbol: 'HugoSymbol',
    Gene: 'EnsemblGeneID',
    Chromosome: 'Chrom',
    Start_Position: 'Pos',
    Reference_Allele: 'Ref',
    Tumor_Seq_Allele2: 'Alt',
    Consequence: ['MolecularConsequence', 'VariantInfo'],
    HGVSc: 'DNAChange',
    HGVSp_Short: 'ProteinChange',
    t_depth: 'DP',
    t_ref_count: 'RefCount',
    t_alt_count: 'AltCount',
    t_vaf: 'AF',
  },
  example: {
    record:
      'Chrom=chr17 | Pos=7675087 | Ref=AC | Alt=A | AF=0.5 | RefCount=20 | AltCount=20 | HugoSymbol=TP53 | ProteinChange=p.V173fs | ModelID=ACH-000001',
    row: 'sample_id=ACH-000001 | gene=TP53 | position=7675087 | reference=AC | alternate=A | depth=40',
  },
};
