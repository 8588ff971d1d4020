/** Values of another kind than their column: units in names of samples, ids for symbols, stand-ins for missing numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domains, isWithin, storedTable } from '@ploidy/formats';
import fc from 'fast-check';
import { convertText, pick, tsv } from './conversion.fixture.ts';
import { outcome, refused } from './outcome.fixture.ts';

test('every numeric column of omic tables has a domain', () => {
  for (const name of ['variant', 'variant_call', 'copynumber', 'fusion', 'gene'])
    for (const { name: column, type } of storedTable(name).columns)
      if (type === 'int' || type === 'float') assert.ok(Object.hasOwn(domains, column), `${name}.${column}`);
});

test('a number outside of its domain is in no row, and named', async () => {
  const columns = fc.constantFrom('copy_number', 'expression', 'raw_count', 'depth', 'allele_fraction');
  fc.assert(
    fc.property(columns, fc.double({ noNaN: true }), (column, value) => {
      const { least, most } = domains[column as keyof typeof domains];
      if (value < least || value > most) assert.equal(isWithin(column, value), false);
    }),
  );
  for (const value of ['999', '9999', '1e30', '-9', '501']) {
    const lines = ['sample_id gene copy_number', 'S1 MYC 2', `S1 TP53 ${value}`, 'S1 ALK 3'];
    if (value.startsWith('-')) await refused('copynumber', 'a.tsv', tsv(...lines), /below 0/);
    else {
      const found = await outcome('copynumber', 'a.tsv', tsv(...lines), 'gene', 'copy_number', 'status');
      assert.deepEqual(found.rows, ['ALK|3|gain', 'MYC|2|neutral', 'TP53|-|-'], value);
      assert.match(found.warnings, /1 values are none that copy_number may have/, value);
    }
  }
});

test('a whole mean that cannot be measured has no copies, and a fraction has', async () => {
  const means = fc.constantFrom('-9', '-99', '-999', '9', '99', '9999', '1e30', '-20');
  for (const mean of fc.sample(means, { numRuns: 8, seed: 3 })) {
    const text = tsv(
      'ID chrom loc.start loc.end num.mark seg.mean',
      'S1 1 1 9 3 -0.2',
      `S1 1 10 19 3 ${mean}`,
    );
    const { rows, warnings } = await outcome(
      'copynumber',
      'a.seg',
      text,
      'start_position',
      'copy_number',
      'status',
    );
    assert.equal(rows[0], '10|-|-', mean);
    assert.match(warnings, /beyond what can be measured/, mean);
  }
  const text = tsv('ID chrom loc.start loc.end num.mark seg.mean', 'S1 1 1 9 3 -0.2', 'S1 1 10 19 3 -8.5');
  assert.equal((await outcome('copynumber', 'a.seg', text, 'status')).rows[0], 'loss');
});

test('ratios are no copies, in any table; whole losses and estimates around 2 are', async () => {
  const step = fc.integer({ min: 1, max: 200 }).chain((size) => fc.constantFrom(size, -size));
  const noise = fc.array(step, { minLength: 3, maxLength: 8 });
  for (const steps of fc.sample(noise, { numRuns: 6, seed: 11 }))
    for (const middle of [1, 2]) {
      const values = steps.map((one) => (middle * 1000 + one) / 1000);
      const own = tsv('sample_id gene copy_number', ...values.map((value, at) => `S1 G${at} ${value}`));
      const seg = tsv(
        'ID chrom loc.start loc.end CN',
        ...values.map((value, at) => `S1 1 ${at * 10 + 1} ${at * 10 + 9} ${value}`),
      );
      for (const text of [own, seg]) {
        const { rows, warnings } = await convertText('copynumber', text, {}, 'a.tsv');
        const areNone = rows.every(({ copy_number: copies, status }) => copies === null && status === null);
        assert.equal(areNone, middle === 1, text);
        assert.equal(/fractions around 1/.test(warnings.map(({ message }) => message).join()), middle === 1);
      }
    }
  const losses = await outcome(
    'copynumber',
    'a.tsv',
    tsv('sample_id gene copy_number', 'S1 A 1', 'S1 B 1'),
    'status',
  );
  assert.deepEqual(losses.rows, ['partialLoss', 'partialLoss']);
});

const units: readonly (readonly [suffix: string, unit: string])[] = [
  ...(['_TPM', '.tpm', ' (TPM)', '-TPM', 'TPM', ':tpm'] as const).map((suffix) => [suffix, 'tpm'] as const),
  ...(['_rpkm', '.FPKM', '-RPKM'] as const).map((suffix) => [suffix, 'fpkm'] as const),
  ...(['_counts', '.raw_counts', '-count'] as const).map((suffix) => [suffix, 'count'] as const),
  ...['_log2TPM', '.log2(TPM+1)', '_vst', '_log2_cpm', '_zscore', '-rlog', '_log2'].map(
    (suffix) => [suffix, '-'] as const,
  ),
];

test('a quantity behind the samples of a matrix is no part of their names', async () => {
  const samples = fc.uniqueArray(fc.stringMatching(/^(?:KO|WT|P)[-_.]?\d{1,3}$/), {
    minLength: 1,
    maxLength: 3,
  });
  for (const [suffix, unit] of units)
    for (const names of fc.sample(samples, { numRuns: 3, seed: 2 })) {
      const header = ['gene_id', ...names.map((name) => `${name}${suffix}`)].join('\t');
      const lines = ['TP53', 'EGFR', 'MYC'].map((gene, at) =>
        [gene, ...names.map((_, place) => at + place + 1)].join('\t'),
      );
      const { rows } = await convertText(
        'expression',
        `${[header, ...lines].join('\n')}\n`,
        {},
        'expression.tsv',
      );
      assert.deepEqual([...new Set(pick(rows, 'sample_id'))].toSorted(), names.toSorted(), header);
      assert.deepEqual([...new Set(pick(rows, 'expression_unit'))], [unit], header);
    }
});

test('a unit of the columns that contradicts the file, or other columns, is none', async () => {
  const { rows, warnings } = await outcome(
    'expression',
    'tpm.tsv',
    tsv('gene_id S1_counts S2_counts', 'TP53 3 1'),
    'expression_unit',
  );
  assert.deepEqual([...new Set(rows)], ['-']);
  assert.match(warnings, /name different units/);
  for (const columns of ['S1.rpkm S2_TPM', 'S1_TPM S2', 'TPM_S1 S2'])
    await refused('expression', 'x.tsv', tsv(`gene_id ${columns}`, 'TP53 3 1'), /several units/);
});

test('ids of databases are no symbols, in any column of symbols', async () => {
  const digits = fc.stringMatching(/^\d{6}$/);
  const id = fc.oneof(
    fc.stringMatching(/^[1-9]\d{0,5}$/),
    digits.map((number) => `ENSG00000${number}`),
    digits.map((number) => `ENSMUST00000${number}.3`),
    digits.map((number) => `NM_${number}.2`),
    digits.map((number) => `HGNC:${number}`),
    digits.map((number) => `CCDS${number}`),
  );
  const symbols = [
    'TP53',
    'C1orf112',
    'HLA-DRB1',
    '0610005C13Rik',
    'Trp53',
    'gene:Fh',
    'P2RY10',
    'NKX2-1',
    'U2AF1',
  ];
  for (const text of [...fc.sample(id, { numRuns: 12, seed: 4 }), ...symbols]) {
    const isSymbol = symbols.includes(text);
    const shown = isSymbol ? text : null;
    const copies = await convertText('copynumber', tsv('sample_id gene copy_number', `S1 ${text} 3`));
    const fusions = await convertText('fusion', tsv('sample_id gene1 gene2', `S1 ${text} ALK`));
    const amounts = await convertText(
      'expression',
      tsv('sample_id gene_name expression expression_unit', `S1 ${text} 3 tpm`),
    );
    assert.deepEqual(
      [copies.rows[0]?.['gene'], fusions.rows[0]?.['gene1'], amounts.rows[0]?.['gene_name']],
      [shown, shown, shown],
      text,
    );
    if (isSymbol) continue;
    assert.match(String(copies.rows[0]?.['attributes']), new RegExp(`"gene_id":"${text}"`), text);
    assert.match(String(fusions.rows[0]?.['attributes']), new RegExp(`"gene_id1":"${text}"`), text);
    assert.equal(amounts.rows[0]?.['gene_id'], text);
    assert.match(copies.warnings.map(({ message }) => message).join(), /ids of a database/);
  }
});
