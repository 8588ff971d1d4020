import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertFile, convertText, pick, tsv } from './conversion.fixture.ts';

const values = [
  'sample_id',
  'gene_id',
  'gene_name',
  'expression',
  'raw_count',
  'expression_unit',
  'is_normalized',
];

test('an own table is read unchanged, with a warning about omitted columns', async () => {
  const text = [
    'sample_id,gene_id,gene_name,expression,raw_count,expression_unit,is_normalized',
    'S1,ENSG1,BRAF,12.5,340,tpm,',
    'S1,ENSG2,TP53,-0.25,,zscore,true',
    'S2,ENSG3,,,7,,',
  ].join('\n');
  const { rows } = await convertText('expression', text);
  assert.deepEqual(pick(rows, ...values), [
    'S1|ENSG1|BRAF|12.5|340|tpm|true',
    'S1|ENSG2|TP53|-0.25|-|zscore|true',
    'S2|ENSG3|-|7|7|count|false',
  ]);
});

describe('quantifiers', () => {
  const first = async (name: string, header: string, line: string) =>
    pick((await convertText('expression', tsv(header, line), {}, name)).rows, ...values, 'attributes');

  test('RSEM is read for genes and isoforms; the symbol may follow the id', async () => {
    assert.deepEqual(
      await first(
        'A.genes.results',
        'gene_id transcript_id(s) length expected_count TPM FPKM',
        'ENSG01_BRAF t 9 5.5 1.25 2',
      ),
      ['A|ENSG01|BRAF|1.25|5.5|tpm|true|{"transcript_id(s)":"t","length":9,"FPKM":2}'],
    );
    assert.deepEqual(
      await first(
        'A.isoforms.results',
        'transcript_id gene_id expected_count TPM IsoPct',
        'ENST1 ENSG1 5 1 100',
      ),
      ['A|ENSG1|-|1|5|tpm|true|{"transcript_id":"ENST1","IsoPct":100}'],
    );
  });

  test('the copy of a gene on Y is a gene of its own, with and without a symbol', async () => {
    const lines = ['ENSG01.15_PLCXD1', 'ENSG01.15_PAR_Y_PLCXD1', 'ENSG02.1_PAR_Y', 'ENSGR03.2_CD99'];
    const text = tsv(
      'gene_id transcript_id(s) length expected_count TPM FPKM',
      ...lines.map((name, at) => `${name} t 9 ${at} ${at} 2`),
    );
    const { rows } = await convertText('expression', text, {}, 'A.genes.results');
    assert.deepEqual(pick(rows, 'gene_id', 'gene_name', 'expression'), [
      'ENSG01.15|PLCXD1|0',
      'ENSG01.15_PAR_Y|PLCXD1|1',
      'ENSG02.1_PAR_Y|-|2',
      'ENSGR03.2|CD99|3',
    ]);
  });

  test('Salmon and kallisto: GENCODE names include the gene, other names are kept with a remark', async () => {
    const gencode = 'ENST00000288602.11|ENSG00000157764.14|OTT1|OTT2|BRAF-201|BRAF|6459|protein_coding|';
    const salmon = tsv('Name Length EffectiveLength TPM NumReads', `${gencode} 9 8 1.5 3`, 'ENST9.1 9 8 0 0');
    const { rows, warnings } = await convertText('expression', salmon, {}, 'A_quant/quant.sf');
    assert.deepEqual(pick(rows, ...values), [
      'A|ENSG00000157764.14|BRAF|1.5|3|tpm|true',
      'A|ENST9.1|-|0|0|tpm|true',
    ]);
    assert.equal(JSON.parse(String(rows[0]?.['attributes'])).transcript_id, 'ENST00000288602.11');
    assert.match(warnings.map(({ message }) => message).join(), /^1 rows are of transcripts/);
    const header = 'target_id length eff_length est_counts tpm';
    assert.deepEqual(await first('A.sf/abundance.tsv', header, 'NM_004333.4 9 8 7.5 0.5'), [
      'A|NM_004333.4|-|0.5|7.5|tpm|true|{"transcript_id":"NM_004333.4","length":9,"eff_length":8}',
    ]);
  });

  test('kallisto writes -nan where nothing was aligned: that is not known, as nan is', async () => {
    const text = tsv('target_id length eff_length est_counts tpm', 'ENST1 9 8 0 -nan', 'ENST2 9 8 0 -NaN');
    const { rows } = await convertText('expression', text);
    assert.deepEqual(pick(rows, 'gene_id', 'expression', 'raw_count'), ['ENST1|-|0', 'ENST2|-|0']);
  });

  test('the GDC and StringTie name symbols; lines that count other reads are no genes', async () => {
    const gdc = tsv(
      'gene_id gene_name gene_type unstranded tpm_unstranded',
      'N_unmapped   99 ',
      'ENSG1.1 BRAF protein_coding 30 2.5',
    );
    const { rows } = await convertText('expression', `# gene-model: GENCODE v36\n${gdc}`);
    assert.deepEqual(pick(rows, ...values), ['S1|ENSG1.1|BRAF|2.5|30|tpm|true']);
    const stringtie = [
      ['Gene ID', 'Gene Name', 'Coverage', 'FPKM', 'TPM'],
      ['STRG.1', 'KRAS', '9.5', '3', '4.5'],
    ];
    const text = stringtie.map((line) => line.join('\t')).join('\n');
    const abundances = await convertText('expression', text, {}, 'A_gene_abund.tab');
    assert.deepEqual(pick(abundances.rows, ...values), ['A|STRG.1|KRAS|4.5|-|tpm|true']);
  });
});

describe('one line a gene, one column a sample', () => {
  test('featureCounts names samples after their BAM files', async () => {
    const text = tsv(
      '# Program:featureCounts',
      'Geneid Chr Start End Strand Length gene_name /data/A.bam /data/B_Aligned.sortedByCoord.out.bam',
      'ENSG1 1;1 5;9 6;12 +;+ 100 BRAF 3 0',
    );
    const { rows, sequences } = await convertText('expression', text, {
      samples: [{ sampleId: 'B', patientId: 'P' }],
    });
    assert.deepEqual(pick(rows, ...values, 'attributes'), [
      'A|ENSG1|BRAF|3|3|count|false|{"Length":100}',
      'B|ENSG1|BRAF|0|0|count|false|{"Length":100}',
    ]);
    assert.deepEqual(pick(sequences, 'id', 'patient_id'), ['A|-', 'B|P']);
  });

  test('HTSeq without a header has its sample from the file name; reads without a gene are left out', async () => {
    const text = tsv('ENSG1 5', 'ENSG2 0', '__no_feature 99', '__ambiguous 3');
    const { rows } = await convertText('expression', text, {}, 'T9.htseq.counts');
    assert.deepEqual(pick(rows, ...values), ['T9|ENSG1|-|5|5|count|false', 'T9|ENSG2|-|0|0|count|false']);
  });

  test('tables from R, with symbols, without a name for the rows, with values that are missing', async () => {
    const { rows, sequences } = await convertText('expression', tsv('A B', 'ENSG1 1 NA', 'ENSG2 2 3'));
    assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'raw_count'), [
      'A|ENSG1|1',
      'A|ENSG2|2',
      'B|ENSG2|3',
    ]);
    assert.equal(sequences.length, 2);
    const symbols = await convertText('expression', 'Hugo_Symbol,Entrez_Gene_Id,A\nBRAF,673,5\n');
    assert.deepEqual(pick(symbols.rows, 'gene_id', 'gene_name', 'attributes'), [
      '-|BRAF|{"Entrez_Gene_Id":673}',
    ]);
  });

  test('the unit of fractional numbers follows from the file name, else it is unknown and a remark is made', async () => {
    const text = 'gene_id,A,B\nENSG1,1.5,2\n';
    const named = await convertText('expression', text, {}, 'cohort_TPM.csv');
    assert.deepEqual(pick(named.rows, 'expression', 'raw_count', 'expression_unit', 'is_normalized'), [
      '1.5|-|tpm|true',
      '2|-|tpm|true',
    ]);
    const unnamed = await convertText('expression', text, {}, 'cohort.csv');
    assert.deepEqual(pick(unnamed.rows.slice(0, 1), 'expression_unit', 'is_normalized'), ['-|-']);
    assert.match(unnamed.warnings[0]?.message ?? '', /expression_unit is NULL/);
  });

  test('counts that follow from whole numbers alone are reported, those named by the file or its name are not', async () => {
    const warnings = async (content: string, name: string) =>
      (await convertText('expression', content, { sampleId: 'S' }, name)).warnings.map(
        ({ message }) => message,
      );
    const copies = tsv('Gene S', 'EGFR 8', 'TP53 1');
    for (const [content, name] of [
      [copies, 'cohort.txt'],
      [copies, 'accounts/absolute_cn.txt'],
      [copies, 'discount.txt'],
      [copies, 'country.txt'],
      [copies, 'mutation_counts.txt'],
      [tsv('ENSG1 2', 'ENSG2 0'), 'S.txt'],
    ] as const) {
      const [warning, ...others] = await warnings(content, name);
      assert.match(warning ?? '', /^The values were taken for read counts, .* copy numbers/, name);
      assert.deepEqual(others, []);
    }
    for (const [content, name] of [
      [copies, 'gene_counts.txt'],
      [copies, 'counts/S.txt'],
      [copies, 'S.readCounts.csv.txt'],
      [copies, 'tpm.txt'],
      [tsv('ENSG1 2', '__no_feature 7'), 'S.txt'],
      [tsv('Geneid Chr Start End Strand Length A.bam', 'g 1 1 9 + 9 5'), 'S.txt'],
    ] as const)
      assert.deepEqual(await warnings(content, name), [], name);
  });

  const whole = Array.from({ length: 210 }, (_, at) => `g${at},${at},0`);
  const late = `gene_id,A,B\n${whole.join('\n')}\ng,1,2.5\n`;
  const htseq = `${whole.map((line) => line.split(',').slice(0, 2).join('\t')).join('\n')}\ng\t2.5\n`;
  const unitValues = ['raw_count', 'expression_unit', 'is_normalized'];

  test('a fraction after whole numbers ends it with its line and what to do, and is never a count', async () => {
    for (const onError of ['fail', 'skip'] as const) {
      const message = /^Line 212 is not .*column 3: a count has to be a whole number; say in the file name/;
      await assert.rejects(convertText('expression', late, { onError }), { name: 'InputError', message });
      const inHtseq = /^Line 211 is not a valid record \(HTSeq\): column 2: a count has to be a whole number/;
      await assert.rejects(convertText('expression', htseq, { onError }), { message: inHtseq });
    }
    const round = await convertText('expression', late.replace('2.5', '2.0e+02'));
    assert.ok(pick(round.rows, ...unitValues).includes('200|count|false'));
    // featureCounts can count reads of several genes as fractions.
    const shares = tsv('Geneid Chr Start End Strand Length A.bam', 'g 1 1 9 + 9 0.50');
    const { rows } = await convertText('expression', shares);
    assert.deepEqual(pick(rows, ...unitValues), ['0.5|count|false']);
  });

  test('the unit in a file name takes precedence over the look of the first numbers', async () => {
    const named = async (name: string, text = late) =>
      new Set(pick((await convertText('expression', text, {}, name)).rows, ...unitValues)).values().next()
        .value;
    assert.equal(await named('cohort.TPM.csv'), '-|tpm|true');
    assert.equal(await named('cohort_rpkm.csv'), '-|fpkm|true');
    assert.equal(await named('cohort-cpm.csv'), '-|cpm|true');
    assert.equal(await named('tpm/cohort.csv'), '-|tpm|true');
    assert.equal(await named('S1.tpm.txt', htseq), '-|tpm|true');
    const counts = 'gene_id,A\ng,0\n';
    for (const name of ['TPM1_knockdown.csv', 'tpm/counts.csv'])
      assert.equal(await named(name, counts), '0|count|false', name);
  });

  const fractions = tsv('gene_id gene_name S1 S2', 'ENSG1 A 10 3.5', 'ENSG2 B 0 7');
  const last = async (name: string, content = fractions) =>
    pick((await convertText('expression', content, {}, name)).rows, 'expression', ...unitValues).at(-1);

  test('fractions are counts only in files of programs that estimate them; other names with count in it say nothing', async () => {
    for (const name of [
      'salmon.merged.gene_counts.tsv',
      'rsem.merged.transcript_counts.tsv.gz',
      'counts/S1_expected_count.txt',
      'star_salmon/tximport-counts.csv',
    ])
      assert.equal(await last(name), '7|7|count|false', name);
    assert.equal(await last('S1.expected_counts.txt', htseq), '99|99|count|false');
    for (const name of [
      ...['counts.tsv', 'counts/all.tsv', 'salmon.merged.gene_counts/all.tsv', 'gene_counts.tsv'],
      ...['counts_tmm.tsv', 'gene_counts_uq.tsv', 'counts_vsn.tsv', 'counts_voom.tsv', 'counts_zscore.tsv'],
      ...[
        'counts_adjusted.tsv',
        'country_S1.tsv',
        'account_S1.tsv',
        'normalized_counts.tsv',
        'vst-counts.tsv',
      ],
      ...['salmon.merged.gene_counts_scaled.tsv', 'expected_counts_tmm.tsv', 'tmm_expected_counts.tsv'],
      ...['largest_counts.tsv', 'discounts.tsv'],
    ])
      assert.equal(await last(name), '7|-|-|-', name);
    // Logarithms below 0 are no counts, whatever the name of the file.
    assert.equal(await last('expected_counts.tsv', fractions.replace('3.5', '-3.5')), '7|-|-|-');
  });

  test('counts per million, by whatever words, are cpm; per kilobase, or of transcripts, are not', async () => {
    for (const name of ['counts_per_million', 'counts_rpm', 'reads-per-million', 'salmon.counts.per.million'])
      assert.equal(await last(`${name}.tsv`), '7|-|cpm|true', name);
    assert.equal(await last('transcripts_per_million.tsv'), '7|-|tpm|true');
    assert.equal(await last('transcripts per kilobase million.tsv'), '7|-|tpm|true');
    assert.equal(await last('reads_per_kilobase_per_million.tsv'), '7|-|fpkm|true');
  });

  test('samples of one name, and one name for several samples, are refused', async () => {
    await assert.rejects(convertText('expression', 'gene_id,A,A\ng,1,2\n'), { message: /same name/ });
    const text = 'gene_id,A,B\ng,1,2\n';
    await assert.rejects(convertText('expression', text, { sampleId: 'S' }), {
      message: /sampleId is for files with one sample/,
    });
    await assert.rejects(convertText('expression', text, { patientId: 'P' }), { message: /has 2/ });
  });
});

describe('real files', { skip: sharedDataSkip }, () => {
  test('a file of RSEM', async () => {
    const { rows } = await convertFile('expression', sharedData('expression/ga4gh_rsem_test_data.tsv'));
    // cut -f1,5,6 F
    assert.deepEqual(pick(rows, 'gene_id', 'expression', 'raw_count'), [
      'ENSG00000076984.13|24.52|4317',
      'ENSG00000076984.14|200.2|43179',
    ]);
  });

  test('counts of HTSeq have every gene but not the five counters; their sample must be named', async () => {
    const path = sharedData('expression/htseq_counts.tsv');
    const { rows } = await convertFile('expression', path, { sampleId: 'M' });
    // grep -vc -e '^__' -e '^feature' F; awk '$1!~/^__/&&NR>1{s+=$2}END{print s}' F
    assert.equal(rows.length, 49768);
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row['raw_count']), 0),
      695183,
    );
    assert.deepEqual(
      pick(
        rows.filter((row) => row['gene_id'] === 'NIST_ConsensusVector'),
        ...values,
      ),
      ['M|NIST_ConsensusVector|-|1859|1859|count|false'],
    );
    await assert.rejects(convertFile('expression', path), { message: /set sampleId/ });
  });
});
