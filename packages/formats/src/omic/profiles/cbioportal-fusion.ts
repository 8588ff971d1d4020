import type { FusionProfile } from '../profile.ts';

/** Structural variants of cBioPortal (`data_sv.txt`; its documentation, "Structural Variant Data"). */
export const cbioportalFusion: FusionProfile = {
  type: 'fusion',
  program: 'structural variants of cBioPortal',
  recognised: ['Sample_Id', ['Site1_Hugo_Symbol', 'Site2_Hugo_Symbol']],
  genes: ['Site1_Hugo_Symbol', 'Site2_Hugo_Symbol'],
  ids: ['Site1_Entrez_Gene_Id', 'Site2_Entrez_Gene_Id'],
  chromosomes: ['Site1_Chromosome', 'Site2_Chromosome'],
  positions: ['Site1_Position', 'Site2_Position'],
  effect: 'Class',
  frame: 'Site2_Effect_On_Frame',
  molecules: { RNA: 'RNA_Support', DNA: 'DNA_Support' },
  build: 'NCBI_Build',
  example: {
    record:
      'Sample_Id=S1 | Site1_Hugo_Symbol=EML4 | Site1_Chromosome=2 | Site1_Position=42522656 | Site2_Hugo_Symbol=ALK | Site2_Chromosome=2 | Site2_Position=29446394 | Site2_Effect_On_Frame=In_frame | DNA_Support=yes | Class=INVERSION',
    row: 'gene1=EML4 | gene2=ALK | effect=inversion | sequence_type=DNA | in_frame=yes',
  },
};
