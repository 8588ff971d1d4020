/** Invariants of rows of tables, whichever reader they come from. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import fc from 'fast-check';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const maf =
  'Hugo_Symbol NCBI_Build Chromosome Start_Position Reference_Allele Tumor_Seq_Allele1 Tumor_Seq_Allele2 Tumor_Sample_Barcode';
const mutation = (gene: string, position: string, sample: string): string =>
  `${gene} GRCh37 1 ${position} T T C ${sample}`;
const seg = 'ID chrom loc.start loc.end num.mark seg.mean';

const messages = (warnings: readonly { message: string }[]): string =>
  warnings.map(({ message }) => message).join('\n');

/** One file of each kind: its header, and two records. */
const files: readonly [type: TabularType, header: string, records: [string, string]][] = [
  ['maf', maf, [mutation('GENEA', '10', 'S1'), mutation('GENEB', '20', 'S1')]],
  ['copynumber', seg, ['S1 1 5 9 7 -0.5', 'S1 1 10 19 7 0.5']],
  ['copynumber', 'sample_id gene copy_number', ['S1 GENEA 2', 'S1 GENEB 3']],
  ['fusion', 'sample_id gene1 gene2', ['S1 GENEA GENEB', 'S1 GENEC GENED']],
  ['expression', 'gene_id S1 S2', ['ENSG1 1 2', 'ENSG2 3 4']],
  ['expression', 'sample_id gene_id expression expression_unit', ['S1 ENSG1 1 tpm', 'S1 ENSG2 3 tpm']],
  ['expression', 'Name Length EffectiveLength TPM NumReads', ['ENSG1 9 9 1 2', 'ENSG2 9 9 1 2']],
];

for (const [type, header, [first, second]] of files)
  describe(`${type}: ${header}`, () => {
    test('every column is read, kept or unread, once, with its number, also one of an unknown name', async () => {
      const names = header.split(' ');
      const { account } = await convertText(
        type,
        tsv(`${header} Zq_invented`, `${first} 1`, `${second} 2`),
        {},
        'S1.sf',
      );
      assert.ok(account);
      const listed = [...account.read, ...account.kept, ...account.unread].map(({ name }) => name);
      const isMatrix = header === 'gene_id S1 S2';
      const expected = isMatrix ? ['gene_id', 'samples'] : [...names, 'Zq_invented'];
      assert.deepEqual(listed.toSorted(), expected.toSorted());
      assert.deepEqual([account.records, account.leftOut], [2, []]);
    });

    test('a second header ends the file, also with onError skip and with other columns', async () => {
      const names = header.split(' ');
      const other = [...names.slice(0, 1), ...names.slice(1).toReversed()].join(' ');
      for (const repeated of [header, other])
        for (const options of [{}, { onError: 'skip' as const }])
          await assert.rejects(
            convertText(type, tsv(header, first, repeated, second), options, 'S1.sf'),
            { name: 'InputError', line: 3, message: /second header/ },
            repeated,
          );
    });

    test('a repeated row is counted in a warning', async () => {
      const { warnings } = await convertText(type, tsv(header, first, second, second), {}, 'S1.sf');
      assert.match(messages(warnings), /rows repeat/);
      const once = await convertText(type, tsv(header, first, second), {}, 'S1.sf');
      assert.doesNotMatch(messages(once.warnings), /repeat|overlap/);
    });
  });

test('the first of two columns with one name is read, and a warning reports the other', async () => {
  const { rows, warnings, account } = await convertText(
    'copynumber',
    tsv('sample_id gene copy_number copy_number', 'S1 GENEA 2 5', 'S1 GENEB 3 6'),
  );
  assert.deepEqual(pick(rows, 'copy_number').sort(), ['2', '3']);
  assert.match(messages(warnings), /Columns have the same name, of which the first is read: copy_number/);
  assert.ok(account?.read.some(({ name }) => name === 'copy_number'));
});

test('records are those with rows and those left out, with the first line of each reason', async () => {
  const { account, rows } = await convertText(
    'maf',
    tsv(
      `${maf} FILTER`,
      `${mutation('A', '1', 'S1')} PASS`,
      `${mutation('A', '2', 'S1')} q10`,
      `${mutation('A', 'x', 'S1')} PASS`,
    ),
    { passOnly: true, onError: 'skip' },
  );
  assert.equal(rows.length, 1);
  assert.equal(account?.records, 3);
  assert.deepEqual(account.leftOut.map(({ count, line }) => [count, line]).toSorted(), [
    [1, 3],
    [1, 4],
  ]);
});

test('segments that overlap are reported with the column that may name the samples', async () => {
  const lines = ['1 5 90 2 P1', '1 91 200 2 P1', '1 5 80 3 P2', '1 81 200 3 P2'];
  const { warnings } = await convertText(
    'copynumber',
    tsv('chromosome start_position end_position copy_number who', ...lines),
    { sampleId: 'S1' },
  );
  assert.match(
    messages(warnings),
    /segments overlap others of the same sample\. The column "who" may name samples/,
  );
});

test('values that cannot be of their unit leave it NULL', async () => {
  const logs = await convertText(
    'expression',
    tsv('gene_id S1', 'ENSG1 -9.96', 'ENSG2 3.2'),
    {},
    'x_gene_tpm.tsv',
  );
  assert.deepEqual(pick(logs.rows, 'expression_unit'), ['-', '-']);
  assert.match(messages(logs.warnings), /cannot be tpm: some are below 0/);
  const shares = await convertText(
    'expression',
    tsv('gene_id S1 S2', 'ENSG1 0.12 0.83', 'ENSG2 0.5 0.04'),
    {},
    'values.tsv',
  );
  assert.match(messages(shares.warnings), /between 0 and 1, as those of methylation/);
  await assert.rejects(
    convertText('expression', tsv('sample_id gene_id expression', 'TP53 ACH-000001 5', 'EGFR ACH-000002 6')),
    { message: /swapped|turned/ },
  );
});

test('samples that are called as chromosomes are, beside chromosomes that are none, are swapped columns', async () => {
  const swapped = ['P-1 1 5 9 7 -0.5', 'P-2 X 5 9 7 -0.5'];
  await assert.rejects(convertText('copynumber', tsv(seg.replace('ID chrom', 'chrom ID'), ...swapped)), {
    message: /names of two columns are swapped/,
  });
  const named = await convertText('copynumber', tsv(seg, '7 1 5 9 7 -0.5', '8 X 5 9 7 -0.5'));
  assert.equal(named.rows.length, 2);
  await convertText('copynumber', tsv(seg, '7 GL000219.1 5 9 7 -0.5', 'S8 chr1 5 9 7 -0.5'));
});

test('evidence does not depend on the order of columns, and columns without a name are counted', async () => {
  const of = async (columns: string, values: string) => {
    const text = tsv(`${maf} ${columns}`, `${mutation('A', '5', 'S1')} ${values}`);
    const { calls, account } = await convertText('maf', text);
    return { depths: pick(calls, 'depth', 'reference_depth', 'alternate_depth'), account };
  };
  for (const [columns, values, expected] of [
    ['t_ref_count tumor_ref_reads t_alt_count', ' 7 3', '10|7|3'],
    ['tumor_ref_reads t_alt_count t_ref_count', '7 3 ', '10|7|3'],
    ['tumor_ref_reads t_alt_count t_ref_count', '7 3 9', '12|9|3'],
    ['tumor_ref_reads TRefCov t_alt_count', '7 9 3', '-|-|3'],
  ] as const)
    assert.deepEqual((await of(columns, values)).depths, [expected], columns);
  const { account } = await of('t_alt_count  z', '3 unnamed 4');
  assert.ok(account?.unread.some(({ name, count }) => name === '(column 10)' && count === 1));
});

test('whole numbers alone are counts only where ids, lengths, ranks, copies and mutations look otherwise', async () => {
  const unitOf = async (values: readonly number[], name: string): Promise<string> => {
    const lines = values.map((value, at) => `ENSG${String(at + 1).padStart(11, '0')} ${value}`);
    const { rows } = await convertText('expression', tsv('gene_id S1', ...lines), {}, name);
    return [...new Set(pick(rows, 'expression_unit'))].join();
  };
  const size = fc.integer({ min: 10, max: 40 });
  const kinds: readonly [kind: string, values: fc.Arbitrary<number[]>, unit: string][] = [
    ['copies', size.chain((n) => fc.array(fc.nat(8), { minLength: n, maxLength: n })), '-'],
    ['ranks', size.map((n) => Array.from({ length: n }, (_, at) => at + 1).toReversed()), '-'],
    ['ids', size.chain((n) => fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: n })), '-'],
    [
      'counts',
      size
        .chain((n) => fc.array(fc.nat(90), { minLength: n, maxLength: n }))
        .map((all) => [...all, 0, 0, 100]),
      'count',
    ],
  ];
  for (const [kind, values, unit] of kinds)
    for (const sample of fc.sample(values, { numRuns: 8, seed: 5 })) {
      assert.equal(await unitOf(sample, 'S1.tsv'), unit, `${kind}: ${sample.join()}`);
      // The name of the file is the word of its owner.
      if (kind === 'ids') assert.equal(await unitOf(sample, 'S1.counts.tsv'), 'count');
    }
});

test('quantities are no samples, and names of genes are read alike by all readers', async () => {
  for (const columns of [
    'tname len num_reads',
    'transcript_id EffLength numReads',
    'target_id eff_len est_counts',
  ]) {
    const { rows } = await convertText(
      'expression',
      tsv(columns, 'ENST1 2500 10.2', 'ENST2 7000 3'),
      {},
      'S7.quant',
    );
    assert.deepEqual(pick(rows, 'sample_id', 'raw_count'), ['S7|10.2', 'S7|3'], columns);
  }
  const marked = await convertText(
    'expression',
    '#feature_id\tcount\nENSG1\t3.5\n__ambiguous\t7\n',
    {},
    'S7.gene_counts.tsv',
  );
  assert.deepEqual(pick(marked.rows, 'sample_id', 'gene_id', 'raw_count'), ['S7|ENSG1|3.5']);
  for (const [name, id, symbol] of [
    ['TP53|7157', '7157', 'TP53'],
    ['TP53 (ENSG00000141510)', 'ENSG00000141510', 'TP53'],
    ['ENSG00000141510|TP53', 'ENSG00000141510', 'TP53'],
    ['ENSG00000141510.16', 'ENSG00000141510.16', undefined],
  ] as const) {
    const own = await convertText('expression', `gene_id\traw_count\n${name}\t5\n`, {}, 'S1.tsv');
    const table = await convertText('expression', `gene_id\tS1\tS2\n${name}\t5\t6\n`, {}, 'counts.tsv');
    for (const { rows } of [own, table])
      assert.deepEqual([rows[0]?.['gene_id'], rows[0]?.['gene_name'] ?? undefined], [id, symbol], name);
    const mutated = await convertText(
      'maf',
      tsv(maf).concat(mutation('X', '5', 'S1').replaceAll(' ', '\t').replace('X', name), '\n'),
    );
    assert.deepEqual(pick(mutated.rows, 'gene'), [symbol ?? '-']);
  }
});

test('rounded positions and genes that a spreadsheet changed in any language are reported', async () => {
  const { warnings } = await convertText(
    'maf',
    tsv(
      maf,
      mutation('01.Mrz', '1.15e+08', 'S1'),
      mutation('1-mars', '2000', 'S1'),
      mutation('2021-03-01', '3001', 'S1'),
      mutation('1-set', '4', 'S1'),
    ),
  );
  assert.match(messages(warnings), /1 records have a position with an exponent/);
  assert.match(messages(warnings), /^4 gene names are dates/m);
});

test('the call of a program is the status of a segment, and the copies are its degree', async () => {
  const lines = [
    'S1 1 5 9 3 GAIN',
    'S1 X 5 9 1 NEUT',
    'S1 2 5 9 1 HETD',
    'S1 3 5 9 8 GAIN',
    'S1 4 5 9 2 LOSS',
  ];
  for (const column of ['call', 'Corrected_Call', 'CNV_State', 'TITAN_call']) {
    const { rows } = await convertText(
      'copynumber',
      tsv(`ID chrom start end copy.number ${column}`, ...lines),
    );
    assert.deepEqual(pick(rows, 'chromosome', 'status'), [
      'chr1|gain',
      'chr2|partialLoss',
      'chr3|amplification',
      'chr4|partialLoss',
      'chrX|neutral',
    ]);
  }
});

test('reads of a MAF are evidence as those of a VCF are', async () => {
  for (const columns of [
    't_depth t_ref_count t_alt_count',
    'Tumor_Depth tumor_ref_reads tumor_var_reads',
    'TTotCov TRefCov TVarCov',
  ]) {
    const { tables, calls } = await convertText(
      'maf',
      tsv(`${maf} ${columns}`, `${mutation('A', '5', 'S1')} 100 60 40`),
    );
    assert.ok(
      tables.some(({ table }) => table === 'variant_call'),
      columns,
    );
    assert.deepEqual(
      pick(calls, 'depth', 'reference_depth', 'alternate_depth', 'allele_fraction'),
      ['100|60|40|0.4'],
      columns,
    );
  }
  const without = await convertText('maf', tsv(`${maf} t_depth`, `${mutation('A', '5', 'S1')} 100`), {
    variantCalls: false,
  });
  assert.ok(!without.tables.some(({ table }) => table === 'variant_call'));
});

test('a file whose name is made of words of programs names no sample', async () => {
  for (const name of [
    'ctat-LR-fusion.fusion_predictions.tsv',
    'finspector.FusionInspector.fusions.tsv',
    'OUT.gene_counts.tsv',
  ])
    await assert.rejects(
      convertText('fusion', tsv('gene1 gene2', 'GENEA GENEB'), {}, name),
      { message: /set sampleId/ },
      name,
    );
});
