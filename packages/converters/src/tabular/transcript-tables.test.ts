/** Tables of one line a transcript and one column a sample. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick } from './conversion.fixture.ts';

const unnamed = /rows are of transcripts without a gene in the file/;

async function reported(text: string): Promise<{ rows: string[]; isWarned: boolean }> {
  const { rows, warnings } = await convertText('expression', text, {}, 'transcript_tpm.csv');
  return {
    rows: pick(rows, 'sample_id', 'gene_id', 'gene_name', 'expression', 'attributes').sort(),
    isWarned: warnings.some(({ message }) => unnamed.test(message)),
  };
}

const names = [
  ...[
    'tx',
    'tx_id',
    'tx_name',
    'TXNAME',
    'transcript',
    'transcript_id',
    'Transcript ID',
    'target_id',
    't_name',
  ],
  ...['ensembl_transcript_id', 'ensembl_transcript_id_version'],
];

test('a transcript is in attributes and its gene in gene_id, whatever the names of their columns', async () => {
  for (const name of names)
    for (const gene of ['gene_id', 'GENEID', 'ensembl_gene_id']) {
      const { rows, isWarned } = await reported(
        `${name},${gene},S1,S2\nENST1.2,ENSG1,5,6\nuc001aaa.3,ENSG2,7,8\n`,
      );
      assert.deepEqual(
        rows,
        [
          'S1|ENSG1|-|5|{"transcript_id":"ENST1.2"}',
          'S1|ENSG2|-|7|{"transcript_id":"uc001aaa.3"}',
          'S2|ENSG1|-|6|{"transcript_id":"ENST1.2"}',
          'S2|ENSG2|-|8|{"transcript_id":"uc001aaa.3"}',
        ],
        `${name}, ${gene}`,
      );
      assert.ok(!isWarned);
    }
});

test('the gene may precede its transcript, which is no sample then', async () => {
  for (const name of names)
    assert.deepEqual((await reported(`gene_id,${name},S1\nENSG1,ENST1,5\n`)).rows, [
      'S1|ENSG1|-|5|{"transcript_id":"ENST1"}',
    ]);
});

test('without a column of genes the transcript replaces its gene, with a warning', async () => {
  for (const name of [...names, '', 'Name'])
    assert.deepEqual(
      await reported(`${name},S1\nENST1,5\nNM_004333.6,7\n`),
      {
        rows: [
          'S1|ENST1|-|5|{"transcript_id":"ENST1"}',
          'S1|NM_004333.6|-|7|{"transcript_id":"NM_004333.6"}',
        ],
        isWarned: true,
      },
      name,
    );
  const gencode = 'ENST1.2|ENSG1.5|-|-|BRAF-201|BRAF|9|';
  assert.deepEqual(await reported(`target_id,S1\n${gencode},5\n`), {
    rows: ['S1|ENSG1.5|BRAF|5|{"transcript_id":"ENST1.2"}'],
    isWarned: false,
  });
});

test('a sample that is called Tx or transcript keeps its values, which are numbers, in any column', async () => {
  const samples = async (text: string): Promise<string[]> => (await reported(text)).rows;
  for (const name of ['Tx', 'TX', 'transcript']) {
    for (const gene of ['ENSG1', 'TP53', '7157']) {
      const expected = [`Ctrl|${gene}|-|5|-`, `${name}|${gene}|-|6|-`].sort();
      for (const text of [
        `gene_id,Ctrl,${name}\n${gene},5,6\n`,
        `gene_id,${name},Ctrl\n${gene},6,5\n`,
        `,Ctrl,${name}\n${gene},5,6\n`,
        `,${name},Ctrl\n${gene},6,5\n`,
        `X,${name},Ctrl\n${gene},6,5\n`,
        // R without a place in the header.
        `Ctrl,${name}\n${gene},5,6\n`,
        `${name},Ctrl\n${gene},6,5\n`,
        `${name},Ctrl\n${gene},6,5\nB,NA,\n`,
      ])
        assert.deepEqual((await samples(text)).sort(), expected, text);
    }
    assert.deepEqual(
      await samples(`gene_id,gene_name,${name},S1\nENSG1,BRAF,6,5\n`),
      ['S1|ENSG1|BRAF|5|-', `${name}|ENSG1|BRAF|6|-`].sort(),
    );
  }
  // Numbers of transcripts in databases.
  assert.deepEqual(await samples('gene_id,TXID,S1\nENSG1,17,5\n'), ['S1|ENSG1|-|5|{"transcript_id":"17"}']);
  // Here a name of a column may be missing as well.
  await assert.rejects(samples('tx,S1\nENST1,5,6\n'), { message: /it has 3 columns, but the header has 2/ });
});
