import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, InputError, RecordFault, recogniseColumns } from '@ploidy/formats';
import { generator, mutatedText } from '../../../../test/support/mutations.ts';

const texts: Readonly<Record<string, string>> = {
  'data_cna.txt': 'Hugo_Symbol\tEntrez_Gene_Id\tS1\tS2\nCDKN2A\t1029\t-2\t-1.5\nMYC\t4609\t2\tNA\n',
  'data_log2_cna.txt': 'Hugo_Symbol\tS1\nEGFR\t1.25\nPTEN\t-1\n',
  'data_cna_discrete_long.txt': 'Hugo_Symbol\tEntrez_Gene_Id\tSample_Id\tValue\nCDKN2A\t1029\tS1\t-2\n',
  'all_data_by_genes.txt':
    'Gene Symbol\tGene ID\tCytoband\tS1\nEGFR\t1956\t7p11.2\t4.5\nTP53\t7157\t17p\t-0.4\n',
  'data_sv.txt':
    'Sample_Id\tSite1_Hugo_Symbol\tSite1_Chromosome\tSite1_Position\tSite2_Hugo_Symbol\tSite2_Chromosome\tSite2_Position\tClass\nS1\tEML4\t2\t42522656\tALK\t2\t29446394\tINVERSION\n',
  'jaffa_results.csv':
    '"sample","fusion genes","chrom1","base1","strand1","chrom2","base2","strand2","inframe"\n"S1","BCR:ABL1","chr22",23632600,"+","chr9",133729451,"+",TRUE\n',
  'S1.fusion_candidates.final':
    '#FusionGene\tScore\tLeftBreakpoint\tRightBreakpoint\nBCR--ABL1\t0.98\tchr22:23632600:+\tchr9:133729451:+\n',
  'OmicsExpressionTPM.csv': ',TSPAN6 (7105),TP53 (7157)\nACH-001113,4.33,\nACH-001289,4.57,2.5\n',
  'proteinGroups.txt':
    'Protein IDs\tMajority protein IDs\tGene names\tLFQ intensity A\tReverse\nP04637;Q1\tP04637;Q1\tTP53\t1000\t\n',
  'report.pg_matrix.tsv': 'Protein.Group\tGenes\tFirst.Protein.Description\tA.raw\nP04637\tTP53\tp53\t1.5\n',
  'npx.csv': 'SampleID,UniProt,Assay,NPX\nS1,P01375,TNF,-0.5\n',
};
const rounds = 3000;

test('a mutated table of a portal ends in rows, an InputError or a RecordFault, nothing else', () => {
  const random = generator(20261129);
  let rowCount = 0;
  for (const [fileName, text] of Object.entries(texts))
    for (let round = 0; round < rounds; round += 1) {
      const mutated = Buffer.from(mutatedText(Buffer.from(text), random)).toString('utf8');
      try {
        const found = recogniseColumns(mutated, { fileName, isWhole: true });
        if (!found) continue;
        for (const line of mutated.split('\n').slice(found.linesBefore).filter(Boolean))
          rowCount += found.file.rows(fieldsOf(line, found.delimiter)).length;
        found.file.remarks?.();
      } catch (error) {
        assert.ok(
          error instanceof InputError || error instanceof RecordFault,
          `${fileName}, ${round}: ${error}`,
        );
      }
    }
  assert.ok(rowCount > Object.keys(texts).length * 100, `${rowCount} rows`);
});
