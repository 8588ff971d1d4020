/** Samples of tables of genes, whatever their names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conversion, convertText, pick, tsv } from './conversion.fixture.ts';

const converted = (text: string): Promise<Conversion> =>
  convertText('expression', text, {}, 'all_counts.csv');

async function samplesOf(text: string): Promise<string[]> {
  const { rows } = await converted(text);
  return pick(rows, 'sample_id', 'expression').sort();
}

test('samples called SD, Sum or Total are samples, unless a mean or a median is beside them', async () => {
  for (const name of ['SD', 'Sum', 'Total', 'total']) {
    for (const text of [
      `gene_id,${name},MK\nENSG1,5,6\n`,
      `gene,${name},MK\nBRAF,5,6\n`,
      `${name},MK\nENSG1,5,6\n`,
    ]) {
      const { rows, warnings } = await converted(text);
      assert.deepEqual(pick(rows, 'sample_id', 'expression').sort(), ['MK|6', `${name}|5`].sort(), text);
      assert.deepEqual(warnings, []);
    }
    const { rows, warnings } = await converted(`gene_id,MK,${name},median\nENSG1,5,6,7\n`);
    assert.deepEqual(pick(rows, 'sample_id', 'expression', 'attributes'), [`MK|5|{"${name}":6,"median":7}`]);
    assert.match(warnings.map(({ message }) => message).join(), new RegExp(`attributes: ${name}, median\\.`));
  }
});

test('samples called as hours, visits or letters are samples', async () => {
  for (const [first, second] of [
    ['0', '24'],
    ['24', '0'],
    ['0', '1'],
    ['V1', 'V2'],
    ['X', 'Y'],
  ])
    assert.deepEqual(
      await samplesOf(`gene_id,${first},${second}\nENSG1,5,6\n`),
      [`${first}|5`, `${second}|6`].sort(),
    );
  assert.deepEqual(await samplesOf('0,24\nENSG1,5,6\n'), ['0|5', '24|6']);
  assert.deepEqual(await samplesOf('X,Y\nENSG1,5,6\n'), ['X|5', 'Y|6']);
});

test('column names made by R and pandas are no samples, and the refusal names the right column names', async () => {
  for (const text of [
    ',V1,V2\nENSG1,5,6\n',
    'V1,V2\nENSG1,5,6\n',
    'gene_id,V2,V3\nENSG1,5,6\n',
    ',gene_id,V2,V3\n1,ENSG1,5,6\n',
    ',0,1\nENSG1,5,6\n',
  ])
    await assert.rejects(
      samplesOf(text),
      { name: 'InputError', message: /name them after their samples/ },
      text,
    );
  // The first line may be of a gene already.
  await assert.rejects(samplesOf('V1,V2,V3\nENSG1,5,6\n'), { name: 'InputError' });
});

test('columns of several quantities of a sample are refused, in any order of quantity and sample', async () => {
  for (const names of [
    'mean_S1 sd_S1 mean_S2 sd_S2',
    'S1_mean S1_sd',
    'S1 S1.sd',
    'S1_raw_count S1_tpm',
    'abundance.S1 counts.S1 length.S1',
  ])
    await assert.rejects(
      convertText('expression', tsv(`gene ${names}`, `TP53${' 5'.repeat(names.split(' ').length)}`)),
      { name: 'InputError', message: /several quantities of each sample/ },
      names,
    );
});

test('a unit that all columns name is the unit, and no part of the samples; a statistic is no count', async () => {
  for (const [names, expected] of [
    ['TPM_S1 TPM_S2', ['S1|tpm', 'S2|tpm']],
    ['S.1.raw_counts S_2.raw_counts', ['S.1|count', 'S_2|count']],
    ['mean_S1 mean_S2', ['mean_S1|-', 'mean_S2|-']],
    ['total_S1 total_S2', ['total_S1|count', 'total_S2|count']],
  ] as const) {
    const { rows } = await convertText('expression', tsv(`gene ${names}`, 'TP53 5 6'), {}, 'x.tsv');
    assert.deepEqual(pick(rows, 'sample_id', 'expression_unit').toSorted(), expected, names);
  }
});

test('counters of HTSeq are no genes in any version', async () => {
  const lines = ['ENSG00000141510 5', 'no_feature 900', 'alignment_not_unique 4', '__ambiguous 7'];
  const { rows } = await convertText('expression', tsv(...lines), {}, 'S1.htseq.txt');
  assert.deepEqual(pick(rows, 'gene_id'), ['ENSG00000141510']);
});
