/** Owners of rows, in tables that name samples in a column. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';

/** Tables of the service's own formats without the column of the sample: the header and two lines. */
const tables: [type: TabularType, lines: string[]][] = [
  ['copynumber', ['gene,copy_number', 'BRAF,2', 'TP53,1']],
  ['expression', ['gene_id,expression,expression_unit', 'ENSG1,2,tpm', 'ENSG2,1,tpm']],
  ['fusion', ['gene1,gene2', 'BCR,ABL1', 'EML4,ALK']],
];

/** Adds a further column. */
const table = (lines: string[], ...column: string[]): string =>
  `${lines.map((line, place) => `${line},${column[place]}`).join('\n')}\n`;

for (const [type, lines] of tables) {
  describe(type, () => {
    test('blanks around a name in the header do not hide the column of the samples', async () => {
      for (const name of [' sample_id', 'sample_id ', '\u00a0Sample_ID\u00a0', '" sample_id"']) {
        const { rows, sequences } = await convertText(type, table(lines, name, 'A', 'B'));
        assert.deepEqual(pick(rows, 'sample_id').sort(), ['A', 'B'], JSON.stringify(name));
        assert.equal(sequences.length, 2);
        await assert.rejects(convertText(type, table(lines, name, 'A', 'B'), { patientId: 'P' }), {
          message: /has 2/,
        });
      }
    });

    test('the column of the samples is known with a blank, a dot or a dash in its name', async () => {
      for (const name of ['Sample ID', 'sample-id', 'Sample.ID']) {
        const { rows } = await convertText(type, table(lines, name, 'A', 'B'));
        assert.deepEqual(pick(rows, 'sample_id').sort(), ['A', 'B'], name);
      }
    });

    test('a header whose quotes are wrong is refused, since a column may hide behind them', async () => {
      await assert.rejects(convertText(type, table(lines, ' "sample_id"', 'A', 'B')), { name: 'InputError' });
    });

    test('a line that names no sample is broken where a column names them', async () => {
      for (const empty of ['', ' ', 'NA']) {
        const text = table(lines, 'sample_id', 'A', empty);
        await assert.rejects(convertText(type, text), {
          name: 'InputError',
          message: /^Line 3 is not a valid record .*sample_id is missing/,
        });
        const { rows, sequences, warnings } = await convertText(type, text, { onError: 'skip' });
        assert.deepEqual(pick(rows, 'sample_id'), ['A']);
        assert.deepEqual(pick(sequences, 'id'), ['A']);
        assert.deepEqual([warnings.length, warnings[0]?.line], [1, 3]);
      }
    });

    test('a column called sample names the samples, unless there is sample_id', async () => {
      const { rows } = await convertText(type, table(lines, 'Sample', 'A', 'B'));
      assert.deepEqual(pick(rows, 'sample_id', 'attributes').sort(), ['A|-', 'B|-']);
      const both = await convertText(type, table(lines, 'sample,sample_id', 'x,A', 'x,B'));
      assert.deepEqual(pick(both.rows, 'sample_id', 'attributes').sort(), [
        'A|{"sample":"x"}',
        'B|{"sample":"x"}',
      ]);
    });
  });
}

for (const [type, lines] of tables) {
  test(`${type}: samples that others name in a column are kept apart, and several patients without samples are refused`, async () => {
    for (const name of ['SampleID', 'sample_name', 'Tumor_Sample_Barcode', 'Sample Barcode']) {
      const { rows } = await convertText(type, table(lines, name, 'A', 'B'));
      assert.deepEqual(pick(rows, 'sample_id', 'attributes').sort(), ['A|-', 'B|-'], name);
    }
    for (const name of ['patient_id', 'PatientID', 'Subject ID', 'specimen_id']) {
      for (const options of [{}, { onError: 'skip' }, { sampleId: 'S' }] as const)
        await assert.rejects(convertText(type, table(lines, name, 'P1', 'P2'), options), {
          name: 'InputError',
          message:
            /^Line 3 is not a valid record .* column \d: the file has several patients, .* add it as sample_id/,
        });
      const { rows } = await convertText(type, table(lines, name, 'P1', 'P1'), { sampleId: 'S' });
      assert.deepEqual(pick(rows, 'sample_id'), ['S', 'S'], name);
    }
  });
}

test('files of programs for one sample, put together with a column of samples, keep them apart', async () => {
  const files: [type: TabularType, header: string, line: string][] = [
    ['copynumber', 'chromosome start end gene log2 probes', '1 0 10 A 0 5'],
    ['fusion', '#FusionName LeftGene LeftBreakpoint RightGene RightBreakpoint', 'A--B A 1:5:+ B 2:6:+'],
    ['fusion', '#gene1 gene2 breakpoint1 breakpoint2', 'A B 1:5 2:6'],
    ['expression', 'Name Length EffectiveLength TPM NumReads', 'ENST1 9 8 1.5 3'],
  ];
  for (const [type, header, line] of files) {
    const text = tsv(`${header} sample_id`, `${line} A`, `${line} B`);
    const { rows, sequences } = await convertText(type, text);
    assert.deepEqual(pick(rows, 'sample_id').sort(), ['A', 'B'], header);
    assert.equal(sequences.length, 2, header);
  }
});

test('segments with a mean are of their sample_id, however it is spelt', async () => {
  for (const name of ['sample_id', 'Sample ID']) {
    const lines = [
      [name, 'chrom', 'loc.start', 'loc.end', 'seg.mean'],
      ['A', '1', '5', '9', '1'],
      ['B', '1', '5', '9', '0'],
    ];
    const { rows } = await convertText('copynumber', lines.map((line) => line.join('\t')).join('\n'));
    assert.deepEqual(
      pick(rows, 'sample_id', 'start_position', 'copy_number').sort(),
      ['A|5|4', 'B|5|2'],
      name,
    );
  }
  const ours = 'sample_id,chrom,start,end,log2,copy_number,status,gene\nA,1,5,9,1,2,gain,G\n';
  const { rows } = await convertText('copynumber', ours);
  assert.deepEqual(pick(rows, 'gene', 'copy_number', 'status'), ['G|2|gain']);
});

test('a segment that names no sample is broken, also between quotes', async () => {
  for (const empty of ['.', '""']) {
    const text = tsv('ID chrom loc.start loc.end num.mark seg.mean', 'A 1 1 9 3 0', `${empty} 1 10 19 3 0`);
    await assert.rejects(convertText('copynumber', text), {
      message: /^Line 3 is not a valid record .*ID is missing/,
    });
  }
});
