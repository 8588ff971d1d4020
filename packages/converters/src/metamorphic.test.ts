/** Changes of a file that must not change its rows, and changes of one value that must. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { changes, plain, rowsOf, type Source, source, written } from './metamorphic.fixture.ts';
import { convertText } from './tabular/conversion.fixture.ts';
import { convertText as convertVcf } from './vcf/conversion.fixture.ts';

const sources: readonly Source[] = [
  source(
    'maf',
    'Hugo_Symbol NCBI_Build Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode t_ref_count t_alt_count',
    'TP53 GRCh38 17 7674220 C T S1 20 11',
    'BRAF GRCh38 7 140753336 A T S2 31 9',
    'EGFR GRCh38 7 55191822 T G S1 17 8',
  ),
  source(
    'copynumber',
    'ID chrom loc.start loc.end num.mark seg.mean',
    'S1 1 5 9 7 -0.5',
    'S1 X 15 19 6 1.5',
    'S2 1 5 19 5 0.1',
  ),
  source(
    'maf',
    'Hugo_Symbol Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode gnomAD_AF gnomAD_AFR_AF',
    'TP53 17 7674220 C T S1 0.01 0.02&0.02',
    'BRAF 7 140753336 A T S2 0.01&0.03 0.5',
  ),
  source(
    'copynumber',
    'chromosome start end gene log2 cn probes sample_id',
    '1 0 100 MYC;PVT1 1.5 6 7 S1',
    'X 100 200 AR -1 1 9 S1',
  ),
  source('copynumber', 'sample_id gene copy_number', 'S1 ERBB2 12', 'S2 PTEN 0', 'S2 MYC 4'),
  source('fusion', 'sample_id gene1 gene2 effect', 'S1 BCR ABL1 translocation', 'S2 EML4 ALK inversion'),
  source('expression', 'gene_id S1 S2', 'ENSG00000141510 5.5 2', 'ENSG00000157764 3.25 8'),
  source('expression', 'Name Length EffectiveLength TPM NumReads', 'ENST1 9 8 1.5 3', 'ENST2 7 6 2.5 4'),
];

for (const one of sources)
  describe(`${one.type}: ${one.lines[0]?.join(' ')}`, () => {
    // In a matrix an unknown column of values is another sample.
    const isMatrix = one.lines[0]?.includes('S2') === true;

    test('line ends, marks, quotes, compression, comments and the order of columns and lines change no row', async () => {
      const expected = rowsOf(await convertText(one.type, plain(one)));
      assert.ok((expected[0]?.length ?? 0) >= 2);
      for (const given of fc.sample(changes, { numRuns: 12, seed: 11 })) {
        const content = written(one, { ...given, hasExtra: given.hasExtra && !isMatrix });
        assert.deepEqual(rowsOf(await convertText(one.type, content)), expected, JSON.stringify(given));
      }
    });

    test('another value in a column that is read or kept changes rows, or is reported', async () => {
      const base = await convertText(one.type, plain(one));
      const before = rowsOf(base);
      const [names = [], first = [], ...others] = one.lines;
      for (const [place, name] of names.entries()) {
        if (base.account?.unread.some((unread) => unread.name === name)) continue;
        const value = first[place] ?? '';
        const changed = /^-?[\d.]+$/.test(value)
          ? String(Number(value) + 1)
          : ((/^[ACGT]$/.test(value) ? 'G' : undefined) ?? `${value}7`);
        const lines = [names, first.with(place, changed), ...others];
        // A refusal is a report as well.
        const after = await convertText(one.type, plain({ ...one, lines })).catch(() => undefined);
        const isSeen =
          !after ||
          JSON.stringify(rowsOf(after)) !== JSON.stringify(before) ||
          JSON.stringify(after.warnings) !== JSON.stringify(base.warnings);
        assert.ok(isSeen, name);
      }
    });
  });

test('a population frequency is the same in a MAF as in the annotation of a VCF', async () => {
  const values = [
    '0.01',
    '0.02',
    '1e-05',
    '+0.1',
    '1.2',
    '-1',
    '00.1',
    '5%',
    'NA',
    '',
    'T:0.3',
    'G:0.2',
    '0.5',
  ];
  const texts = fc.sample(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), {
    numRuns: 150,
    seed: 5,
  });
  const fields = texts.map((parts, at) => [100 + at, parts.join('&')] as const);
  const vcf = [
    '##fileformat=VCFv4.2',
    '##INFO=<ID=CSQ,Number=.,Type=String,Description="Format: Allele|Consequence|gnomAD_AF">',
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS',
    ...fields.map(([at, text]) => `1\t${at}\t.\tC\tT\t.\t.\tCSQ=T|missense_variant|${text}\tGT\t0/1`),
  ];
  const maf = [
    'Hugo_Symbol\tChromosome\tStart_Position\tReference_Allele\tTumor_Seq_Allele2\tTumor_Sample_Barcode\tgnomAD_AF',
    ...fields.map(([at, text]) => `A\t1\t${at}\tC\tT\tS\t${text}`),
  ];
  const shown = (rows: Record<string, unknown>[]): string[] =>
    rows.map((row) => `${row['position']} ${row['population_allele_frequency']}`).toSorted();
  const ofMaf = shown((await convertText('maf', `${maf.join('\n')}\n`)).rows);
  assert.equal(ofMaf.length, fields.length);
  assert.deepEqual(ofMaf, shown((await convertVcf(`${vcf.join('\n')}\n`)).variants));
});
