import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const meta = [
  '##INFO=<ID=GENEINFO,Number=1,Type=String,Description="Gene(s) for the variant reported as gene symbol:gene id">',
  '##INFO=<ID=MC,Number=.,Type=String,Description="comma separated list of molecular consequence">',
];
const rowsOf = async (alleles: string, info: string): Promise<string[]> => {
  const { variants } = await convertText(vcf([`7 5 . ${alleles} . . ${info}`], { meta }));
  return pick(variants, 'alternate', 'gene', 'ebcanon_class', 'ebcanon_group', 'impact').toSorted();
};

test("ClinVar's own gene and consequence fill gene and effect", async () => {
  assert.deepEqual(
    await rowsOf(
      'A T',
      'GENEINFO=BRAF:673;MC=SO:0001583|missense_variant,SO:0001619|non-coding_transcript_variant',
    ),
    ['T BRAF missense_variant missense MODERATE'],
  );
  assert.deepEqual(await rowsOf('A T', 'GENEINFO=BRAF:673;MC=SO:0001587|nonsense'), [
    'T BRAF stop_gained nonsense HIGH',
  ]);
});

test('a consequence of one of several genes is of none of them, and each gene is named', async () => {
  const rows = await rowsOf('A T', 'GENEINFO=BRCA1:672|NBR2:10230;MC=SO:0001583|missense_variant');
  assert.deepEqual(
    rows.map((row) => row.split(' ').slice(0, 3).join(' ')),
    ['T BRCA1 -', 'T NBR2 -'],
  );
});

test('an annotator that names transcripts goes before ClinVar', async () => {
  const csq = '##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Consequence|IMPACT|SYMBOL">';
  const { variants } = await convertText(
    vcf(['7 5 . A T . . GENEINFO=X:1;MC=SO:0001583|missense_variant;CSQ=T|stop_gained|HIGH|BRAF'], {
      meta: [...meta, csq],
    }),
  );
  assert.deepEqual(pick(variants, 'gene', 'impact'), ['BRAF HIGH']);
});
