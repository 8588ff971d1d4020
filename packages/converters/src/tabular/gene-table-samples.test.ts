/** Samples of tables of genes, whatever their names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conversion, convertText, pick } from './conversion.fixture.ts';

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
