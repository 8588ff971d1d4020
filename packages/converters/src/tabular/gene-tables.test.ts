import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recogniseColumns } from '@ploidy/formats';
import { convertText, pick, tsv } from './conversion.fixture.ts';

test('columns that describe the gene are no samples, whatever annotator wrote them', async () => {
  const cases: [header: string, line: string, samples: string[]][] = [
    [
      'gene_id gene_name gene_chr gene_start gene_end gene_length gene_biotype S1 S2',
      'ENSG1 A 17 100 200 100 x 5 6',
      ['S1', 'S2'],
    ],
    ['gene_id entrez chr S1 S2', 'ENSG1 7157 17 5 6', ['S1', 'S2']],
    ['GeneID Length GC S1', 'ENSG1 1000 41 5', ['S1']],
    ['gene_id GC S1', 'ENSG1 41 5', ['GC', 'S1']],
    // RSEM in tables that were joined from several samples.
    ['gene_id transcript_id(s) S1 S2', 'ENSG1 ENST1,ENST2 5 6', ['S1', 'S2']],
    // biomaRt, and R's names of ranges.
    ['ensembl_gene_id hgnc_symbol entrezgene_id transcript_count S1', 'ENSG1 TP53 7157 3 5', ['S1']],
    ['gene_id seqnames start end width strand S1', 'ENSG1 chr1 5 10 6 + 5', ['S1']],
  ];
  for (const [header, line, samples] of cases) {
    const { rows } = await convertText('expression', tsv(header, line), {}, 'all_counts.tsv');
    assert.deepEqual(pick(rows, 'sample_id').sort(), samples, header);
  }
});

test('the result of a comparison is no expression', async () => {
  const deseq = ',baseMean,log2FoldChange,lfcSE,stat,pvalue,padj\nENSG1,10.5,1.2,0.3,4,0.001,0.01\n';
  const edger = tsv('gene S1 logFC FDR', 'ENSG1 5 1.2 0.01');
  for (const text of [deseq, edger])
    await assert.rejects(convertText('expression', text, {}, 'all_counts.csv'), {
      name: 'InputError',
      message: /result of a comparison/,
    });
});

test('marks around the fields of a tab-separated file, as R and spreadsheets write them, are not part of the names', async () => {
  const text = '"gene_id"\t"S1"\t"S2"\n"ENSG1"\t5\t"6"\n';
  const { rows } = await convertText('expression', text, {}, 'counts.tsv');
  assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'raw_count'), ['S1|ENSG1|5', 'S2|ENSG1|6']);
});

test('ids in a column of their own are no values of a sample', async () => {
  for (const header of ['gene_id,sample_id,log2tpm', 'gene,PatientID,norm', 'gene_id,Tumor_Sample_Barcode,x'])
    await assert.rejects(reported(`${header}\nENSG1,1001,5\nENSG1,1002,7\n`), {
      name: 'InputError',
      message: /holds the sample of each value: name it sample_id/,
    });
});

const reported = async (text: string): Promise<string[]> => {
  const { rows } = await convertText('expression', text, {}, 'all_counts.csv');
  return pick(rows, 'sample_id', 'gene_id', 'gene_name', 'raw_count').sort();
};

test('a separator at the end of lines moves no value to another sample', async () => {
  const expected = ['S1|ENSG1|-|1', 'S1|ENSG2|-|3', 'S2|ENSG1|-|2', 'S2|ENSG2|-|4'];
  for (const text of [
    'gene_id,S1,S2\nENSG1,1,2,\nENSG2,3,4,\n',
    'gene\tS1\tS2\nENSG1\t1\t2\t\nENSG2\t3\t4\t\n',
    'gene_id,S1,S2,\nENSG1,1,2,\nENSG2,3,4,\n',
    'gene_id,S1,S2,\nENSG1,1,2\nENSG2,3,4\n',
  ])
    assert.deepEqual(await reported(text), expected, text);
  assert.deepEqual(await reported('Gene,S1\nENSG1,1,\n'), ['S1|ENSG1|-|1']);
  // The one column of values has no name: they are of the sample of the file.
  assert.deepEqual(await reported('gene_id,\nENSG1,1\n'), ['all|ENSG1|-|1']);
  // No column certainly has the genes.
  await assert.rejects(reported('probe,S1,S2\nENSG1,1,2,\nENSG2,3,4,\n'), { name: 'InputError' });
});

test('lines with a value too many are broken, unless they begin with row names', async () => {
  const message = /^Line 2 is not a valid record \(expression\): it has 4 columns, but the header has 3/;
  await assert.rejects(reported('gene_id,S1,S2\nENSG1,1,2,9\nENSG2,3,4,9\n'), { message });
  const symbols = 'gene_name,S1\nENSG1,BRAF,5\nENSG2,KRAS,7\n';
  assert.deepEqual(await reported(symbols), ['S1|ENSG1|BRAF|5', 'S1|ENSG2|KRAS|7']);
});

test('numbers of rows, as R and pandas write them before the columns, are no genes', async () => {
  for (const text of [
    '"","gene_id","S1"\n"1","ENSG1",5\n"2","ENSG2",7\n',
    ',gene_id,S1\n4,ENSG1,5\n17,ENSG2,7\n',
    'gene_id,S1\n1,ENSG1,5\n2,ENSG2,7\n',
    ',gene,S1\n0,ENSG1,5\n1,ENSG2,7\n',
  ])
    assert.deepEqual(await reported(text), ['S1|ENSG1|-|5', 'S1|ENSG2|-|7'], text);
  const symbols = ',gene_name,S1\n0,BRAF,5\n1,KRAS,7\n';
  assert.deepEqual(await reported(symbols), ['S1|-|BRAF|5', 'S1|-|KRAS|7']);
  // Entrez's numbers of the genes.
  const entrez = ',gene_name,S1\n673,BRAF,5\n3845,KRAS,7\n';
  assert.deepEqual(await reported(entrez), ['S1|3845|KRAS|7', 'S1|673|BRAF|5']);
});

test('symbol and id of a gene are each in their column, in either order', async () => {
  for (const id of ['GeneID', 'gene_id', 'ensembl_gene_id']) {
    assert.deepEqual(await reported(`${id},gene_name,S1\nENSG1,BRAF,5\n`), ['S1|ENSG1|BRAF|5']);
    assert.deepEqual(await reported(`gene_name,${id},S1\nBRAF,ENSG1,5\n`), ['S1|ENSG1|BRAF|5']);
  }
});

test('columns of featureCounts are known behind the row names of R, with and without a place in the header', async () => {
  const header = '"GeneID"\t"Chr"\t"Start"\t"End"\t"Strand"\t"Length"\t"S1.bam"';
  const lines = '"1"\t"ENSG1"\t"17"\t1\t3\t"-"\t100\t5\n"2"\t"ENSG2"\t"17"\t1\t3\t"-"\t100\t7\n';
  for (const text of [`${header}\n${lines}`, `""\t${header}\n${lines}`]) {
    const { rows } = await convertText('expression', text, {}, 'all_counts.csv');
    assert.deepEqual(pick(rows, 'sample_id', 'gene_id', 'raw_count', 'attributes'), [
      'S1|ENSG1|5|{"Length":100}',
      'S1|ENSG2|7|{"Length":100}',
    ]);
  }
  const moved = tsv('gene_name S1.bam Chr Start End Strand Length Geneid', 'A 5 17 1 3 - 100 ENSG1');
  assert.deepEqual(await reported(moved), ['S1|ENSG1|-|5']);
});

test('a list of patients is not read as genes unless the request asks for it', async () => {
  const known = (text: string, fileName: string): string | undefined =>
    recogniseColumns(text, { fileName, isWhole: true })?.format.type;
  for (const text of [
    'name,age,weight\nJohn Smith,50,70\nJane Doe,60,80\n',
    'id,age,weight\n4711,50,70\n4712,60,80\n',
    ',age,bmi\n0,50,22.5\n1,60,30\n',
    ',name,age\n0,John Smith,50\n1,Jane Doe,60\n',
  ])
    assert.equal(known(text, 'list.csv'), undefined, text);
  const genes = 'name,S1,S2\nBRAF,5,7\n';
  assert.equal(known(genes, 'list.csv'), undefined);
  for (const name of ['rnaseq.csv', 'counts.csv', 'tpm/list.csv'])
    assert.equal(known(genes, name), 'expression');
  // Salmon's quantmerge calls the column of transcripts `Name`.
  const transcripts = [
    'ENST00000646891.2',
    'NM_004333.6',
    'ENST00000646891.2|ENSG00000157764.14|-|-|BRAF-220|BRAF|6459|',
  ];
  for (const id of ['ENSG00000157764.14', 'ENSG00000157764.14_BRAF', ...transcripts])
    assert.equal(known(genes.replace('BRAF', id), 'list.csv'), 'expression', id);
  assert.equal((await reported(genes)).length, 2);
});

test('row names 1, 2, 3 are no Entrez ids unless their column is named so; the refusal names the right name', async () => {
  const message = /counts 1, 2, 3 .*Entrez gene ids.*name the column entrez_id; .*column gene_id/;
  for (const text of [
    ',S1,S2\n1,5,6\n2,7,8\n3,1,0\n',
    'S1,S2\n1,5,6\n2,7,8\n3,1,0\n',
    ',S1\n0,5\n1,7\n',
    '"S1.bam"\n"1",5\n"2",7\n',
  ])
    await assert.rejects(reported(text), { name: 'InputError', message }, text);
  for (const name of ['entrez_id', 'ENTREZID', 'Entrez_Gene_Id', 'gene_id', 'GeneID'])
    assert.deepEqual(
      await reported(`${name},S1\n1,5\n2,7\n3,1\n`),
      ['S1|1|-|5', 'S1|2|-|7', 'S1|3|-|1'],
      name,
    );
  // Not every number has a gene: those of rows have no gaps.
  assert.deepEqual(await reported(',S1\n1,5\n2,7\n9,1\n'), ['S1|1|-|5', 'S1|2|-|7', 'S1|9|-|1']);
  assert.deepEqual(await reported('ENTREZID,SYMBOL,S1\n1,A1BG,5\n2,A2M,7\n'), ['S1|1|A1BG|5', 'S1|2|A2M|7']);
});

test('a statistic over samples is no sample and is reported, and a column that only counts names no gene', async () => {
  assert.deepEqual(await reported('gene_id,S1,S2,mean,SD,Total\nENSG1,5,7,6,1,12\n'), [
    'S1|ENSG1|-|5',
    'S2|ENSG1|-|7',
  ]);
  assert.deepEqual(await reported('gene_id,normalized_count\nENSG1,5\n'), ['all|ENSG1|-|-']);
  for (const name of ['expected_count', 'raw counts', 'total', 'x', 'V1', '0'])
    assert.deepEqual(await reported(`gene_id,${name}\nENSG1,5\n`), ['all|ENSG1|-|5'], name);
  const { warnings } = await convertText('expression', 'gene,S1,Mean,SD\nA,5,6,1\n', {}, 'counts.csv');
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [
      'These columns seem to be computed from several samples and were kept in attributes: Mean, SD. Rename them if they are samples.',
    ],
  );
});

test('a table with genes as columns is refused, and they are no samples', async () => {
  for (const text of [
    ',ENSG1,ENSG2\nS1,5,6\nS2,7,8\n',
    'ENSG1,ENSG2\nS1,5,6\nS2,7,8\n',
    'id,ENSG1_BRAF,ENST2.1\nS1,5,6\n',
  ])
    await assert.rejects(reported(text), { name: 'InputError', message: /transpose it/ }, text);
});

test('gene copies of GISTIC are no expression, under any file name and request', async () => {
  for (const id of ['Locus ID', 'Gene ID'])
    await assert.rejects(reported(`Gene Symbol,${id},Cytoband,S1\nBRAF,673,7q34,2\n`), {
      name: 'InputError',
      message: /GISTIC/,
    });
});

test('a gene that only its number names has its row, and names of two parts are taken apart', async () => {
  // cBioPortal
  assert.deepEqual(await reported('Hugo_Symbol,Entrez_Gene_Id,S1\nBRAF,673,5\n,7157,6\n'), [
    'S1|-|BRAF|5',
    'S1|7157|-|6',
  ]);
  // StringTie's prepDE.py, and the TCGA
  assert.deepEqual(
    await reported('gene_id,S1\nMSTRG.1|BRAF,5\nMSTRG.2,6\nENSG1|KRAS,7\nA1BG|1,8\n?|100130426,9\n'),
    ['S1|100130426|-|9', 'S1|1|A1BG|8', 'S1|ENSG1|KRAS|7', 'S1|MSTRG.1|BRAF|5', 'S1|MSTRG.2|-|6'],
  );
});

test('columns that are divided by semicolons, or by blanks without marks around names, are refused with how to write them', async () => {
  for (const text of ['gene_id;S1;S2\nENSG1;5;6\n', 'gene_id;S1\nENSG1;5,5\n'])
    await assert.rejects(reported(text), { name: 'InputError', message: /separated by semicolons/ });
  await assert.rejects(reported('A.bam B.bam\nENSG1 5 6\n'), { name: 'InputError', message: /by blanks/ });
});

test('a column that R or pandas made of row names holds the genes, or only numbers the rows', async () => {
  for (const name of ['X', 'rn', 'rowname', 'row.names', 'index', 'Unnamed: 0']) {
    assert.deepEqual(
      await reported(`${name},S1\nENSG1,5\nENSG2,7\n`),
      ['S1|ENSG1|-|5', 'S1|ENSG2|-|7'],
      name,
    );
    assert.deepEqual(await reported(`${name},gene_id,S1\n1,ENSG1,5\n2,ENSG2,7\n`), [
      'S1|ENSG1|-|5',
      'S1|ENSG2|-|7',
    ]);
    await assert.rejects(reported(`${name},S1\n1,5\n2,7\n`), { message: /counts 1, 2, 3/ });
  }
  await assert.rejects(reported('gene_id,Unnamed: 0,S1\nENSG1,0,5\n'), { name: 'InputError' });
});

test('a column that is called as ids are goes before names of rows that are none', async () => {
  for (const name of ['gene_id', 'GeneID', 'ensembl_gene_id'])
    assert.deepEqual(await reported(`,${name},S1\nrow1,ENSG1,5\nrow2,ENSG2,7\n`), [
      'S1|ENSG1|-|5',
      'S1|ENSG2|-|7',
    ]);
  // The ids of others are beside them.
  assert.deepEqual(await reported(',entrez_id,S1\nENSG1,673,5\n'), ['S1|ENSG1|-|5']);
  assert.deepEqual(await reported(',gene_id,S1\nENST1,ENSG1,5\n'), ['S1|ENSG1|-|5']);
});

test('Entrez ids are read after numbers of rows outside of the header, and featureCounts with a separator at all ends', async () => {
  const rows = ['1,673,5', '2,3845,7', '3,25,1', '4,238,0'];
  const expected = ['S1|238|-|0', 'S1|25|-|1', 'S1|3845|-|7', 'S1|673|-|5'];
  assert.deepEqual(await reported(`gene_id,S1\n${rows.join('\n')}\n`), expected);
  const header = 'Geneid\tChr\tStart\tEnd\tStrand\tLength\tS1.bam';
  assert.deepEqual(await reported(`${header}\t\n673\t7\t1\t9\t-\t9\t5\t\n`), ['S1|673|-|5']);
});
