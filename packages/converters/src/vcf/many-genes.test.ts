import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const meta = [
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence annotations from Ensembl VEP. Format: Allele|IMPACT|SYMBOL|Feature">',
];

test('a record that reaches tens of thousands of genes has a row of each', async () => {
  const genes = Array.from({ length: 60_000 }, (_, at) => `GENE${at}`);
  const transcripts = (impact: string): string =>
    genes.map((gene) => `C|${impact}|${gene}|${impact}-${gene}`).join(',');
  const { variants } = await convertText(
    vcf([`1 5 . A C . . CSQ=${transcripts('LOW')},${transcripts('HIGH')}`], { meta }),
  );
  assert.deepEqual(
    pick(variants, 'gene', 'transcript_id').toSorted(),
    genes.map((gene) => `${gene} HIGH-${gene}`).toSorted(),
  );
});
