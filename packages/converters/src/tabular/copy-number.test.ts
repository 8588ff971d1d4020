import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertFile, convertText, pick, tsv } from './conversion.fixture.ts';

const place = ['chromosome', 'start_position', 'end_position'];

describe('own table of copy numbers', () => {
  test('columns of an own table are read in any order, and others become attributes', async () => {
    const text = [
      'status,gene,sample_id,copy_number,chromosome,start_position,end_position,interpretation,attributes,purity,note',
      'Gain,ERBB2,S1,4.5,17,39687914,39730426,"likely, driver","{""caller"":""x""}",0.7,',
      ',TP53,S2,1,chr17,7661779,7687550,,,,"a ""note"""',
    ].join('\n');
    const { rows, sequences } = await convertText('copynumber', text);
    assert.deepEqual(rows, [
      {
        sample_id: 'S2',
        gene: 'TP53',
        copy_number: 1,
        status: 'partialLoss',
        attributes: '{"note":"a \\"note\\""}',
        chromosome: 'chr17',
        start_position: 7661779n,
        end_position: 7687550n,
        interpretation: null,
        copy_number_set_id: 'set',
      },
      {
        sample_id: 'S1',
        gene: 'ERBB2',
        copy_number: 4.5,
        status: 'gain',
        attributes: '{"caller":"x","purity":0.7}',
        chromosome: 'chr17',
        start_position: 39687914n,
        end_position: 39730426n,
        interpretation: 'likely, driver',
        copy_number_set_id: 'set',
      },
    ]);
    assert.deepEqual(pick(sequences, 'id'), ['S1', 'S2']);
  });

  test('gene_name is read as gene; start and end without a known base are reported', async () => {
    const text = 'sample_id,gene_name,chromosome,start,end,copy_number\nS,KRAS,12,5,9,4\n';
    const { rows, warnings } = await convertText('copynumber', text);
    assert.deepEqual(pick(rows, 'gene', ...place, 'attributes'), ['KRAS|chr12|-|-|{"start":5,"end":9}']);
    assert.match(
      warnings.map(({ message }) => message).join(),
      /^These columns were kept in attributes: start, end\./,
    );
  });

  test('the status follows from the number of copies where it is missing', async () => {
    const numbers = [0, 0.4, 0.6, 1, 1.4, 2, 2.6, 5, 5.4, 5.5, 6, 40];
    const text = `gene,copy_number\n${numbers.map((number) => `G${number},${number}`).join('\n')}`;
    const { rows } = await convertText('copynumber', text);
    const statuses = new Map(rows.map((row) => [row['copy_number'], row['status']]));
    assert.deepEqual(
      numbers.map((number) => statuses.get(number)),
      [
        ...['loss', 'loss', 'partialLoss', 'partialLoss', 'partialLoss', 'neutral'],
        ...['gain', 'gain', 'gain', 'amplification', 'amplification', 'amplification'],
      ],
    );
  });

  test('an invalid number, status, JSON object or segment is reported with its column', async () => {
    const broken: [string, number, RegExp][] = [
      ['G,x,gain,{},1,2', 2, /a number is needed/],
      ['G,-1,gain,{},1,2', 2, /cannot be below 0/],
      ['G,2,huge,{},1,2', 3, /loss, partialLoss, neutral, gain, amplification/],
      ['G,2,gain,[],1,2', 4, /JSON object/],
      ['G,2,gain,{},1.5,2', 5, /whole number/],
      ['G,2,gain,{},9,2', 6, /the end is before the start/],
    ];
    for (const [line, column, message] of broken) {
      const text = `gene,copy_number,status,attributes,start_position,end_position\n${line}\n`;
      await assert.rejects(convertText('copynumber', text), { name: 'InputError', line: 2, column, message });
    }
  });
});

describe('CNVkit', () => {
  test('starts count from 0 there, and each gene has a row', async () => {
    const text = tsv(
      'chromosome start end gene log2 cn',
      '1 0 100 A,B,A -1 1',
      'X 5 9 - 0 2',
      '2 5 9 Antitarget 1.585 6',
    );
    const { rows, sequences } = await convertText('copynumber', text, {}, 'T1.call.cns');
    assert.deepEqual(pick(rows, ...place, 'gene', 'copy_number', 'status'), [
      'chr1|1|100|A|1|partialLoss',
      'chr1|1|100|B|1|partialLoss',
      'chr2|6|9|-|6|amplification',
      'chrX|6|9|-|2|neutral',
    ]);
    assert.deepEqual(pick(sequences, 'id'), ['T1']);
  });

  test('without a call the logarithm decides the copies', async () => {
    const { rows } = await convertText(
      'copynumber',
      tsv('chromosome start end gene log2 probes', '1 0 9 A 1 5', '1 10 19 B -1 5'),
    );
    assert.deepEqual(pick(rows, 'gene', 'copy_number', 'status'), ['A|4|gain', 'B|1|partialLoss']);
  });
});

test('segments of CNVkit that name their samples count from 0; with copy_number or status they are our own table', async () => {
  const all = async (header: string, line: string) =>
    pick(
      (await convertText('copynumber', tsv(header, line))).rows,
      ...['sample_id', 'gene', 'start_position', 'end_position', 'copy_number', 'status', 'attributes'],
    );
  for (const name of ['sample', 'sample_id', 'Sample-ID'])
    assert.deepEqual(
      await all(`${name} chromosome start end gene log2`, 'S 1 10 20 A 1'),
      ['S|A|11|20|4|gain|{"log2":1}'],
      name,
    );
  assert.deepEqual(
    await all('sample_id chromosome start end gene log2 copy_number weight', 'S 1 10 20 A 1 3 0.5'),
    ['S|A|-|-|3|gain|{"start":10,"end":20,"log2":1,"weight":0.5}'],
  );
  assert.deepEqual(await all('sample_id chromosome start end gene log2 status', 'S 1 10 20 A 1 loss'), [
    'S|A|-|-|-|loss|{"start":10,"end":20,"log2":1}',
  ]);
});

test('gene-level copies of the GDC have their genes and positions; genes without copies have no row', async () => {
  const text = tsv(
    'gene_id gene_name chromosome start end copy_number min_copy_number max_copy_number',
    'ENSG00000223972.5 DDX11L1 chr1 11869 14409   ',
    'ENSG00000228572.7 LL0YNC03-29C1.1      ',
    'ENSG00000133703.14 KRAS chr12 25205246 25250929 4 3 5',
  );
  const name = 'TCGA-AB.b0dcb5d2.gene_level_copy_number.v36.tsv';
  const { rows, warnings } = await convertText('copynumber', text, {}, name);
  assert.deepEqual(pick(rows, 'sample_id', 'gene', ...place, 'copy_number', 'status', 'attributes'), [
    'TCGA-AB.b0dcb5d2|KRAS|chr12|25205246|25250929|4|gain|{"gene_id":"ENSG00000133703.14","min_copy_number":3,"max_copy_number":5}',
  ]);
  const [left, guessed] = warnings.map(({ message }) => message);
  assert.equal(left, '2 genes without a copy number were left out.');
  assert.match(guessed ?? '', /set sampleId/);
});

test('bins of CNVkit are no segments: they are refused with what to upload instead', async () => {
  const headers = [
    'chromosome start end gene log2 depth',
    'chromosome start end gene depth log2 weight',
    'chromosome start end gene log2 gc rmask spread',
    'chromosome start end gene log2',
    'sample_id chromosome start end gene log2 depth weight',
  ];
  for (const header of headers) {
    const line = header.replace('chromosome start end gene', '1 0 10 A').replaceAll(/[a-z]\w+/g, '7.6');
    await assert.rejects(
      convertText('copynumber', tsv(header, line), {}, 'S8.cnr'),
      { name: 'InputError', line: 1, message: /seems to hold bins .* upload the segments \(\.cns or/ },
      header,
    );
  }
  const ofGenes = tsv('gene chromosome start end log2 depth weight', 'A 1 0 10 0.5 7 1');
  await assert.rejects(convertText('copynumber', ofGenes, {}, 'S8.txt'), {
    message: /genes \(genemetrics\)/,
  });
  // Segments of another program, which count from 1.
  const { rows } = await convertText('copynumber', tsv('ID chromosome start end gene log2', 'S 1 5 9 A 1'));
  assert.deepEqual(pick(rows, 'sample_id', ...place, 'gene', 'copy_number'), ['S|chr1|5|9|A|4']);
});

test('segments of GATK are read below the header of a SAM, which names their sample', async () => {
  const header = ['@HD VN:1.6', '@SQ SN:chr1 LN:248956422', '@RG ID:GATKCopyNumber SM:T1'];
  const columns = 'CONTIG START END NUM_POINTS_COPY_RATIO MEAN_LOG2_COPY_RATIO CALL';
  const called = tsv(...header, columns, 'chr1 1 9 5 0.5 +', 'chr1 10 19 5 -1 -');
  const { rows, sequences } = await convertText('copynumber', called, {}, 'x.called.seg');
  assert.deepEqual(pick(rows, 'sample_id', ...place, 'status'), [
    'T1|chr1|1|9|gain',
    'T1|chr1|10|19|partialLoss',
  ]);
  assert.deepEqual(pick(sequences, 'id'), ['T1']);
  const bins = tsv(...header, 'CONTIG START END LOG2_COPY_RATIO', 'chr1 1 9 0.5');
  await assert.rejects(convertText('copynumber', bins, {}, 'T1.denoisedCR.tsv'), {
    name: 'InputError',
    message: /table of GATK.*\.called\.igv\.seg/,
  });
  const forIgv = tsv('SAMPLE CHROMOSOME START END NUM_PROBES SEGMENT_MEAN', 'T1 chr1 1 9 5 1');
  const igv = await convertText('copynumber', forIgv, {}, 'T1.called.igv.seg');
  assert.deepEqual(pick(igv.rows, 'sample_id', ...place, 'copy_number'), ['T1|chr1|1|9|4']);
});

test('copies are compared with the ploidy of the chromosome, where the file has it', async () => {
  const header = 'Sample Chromosome Start End Num_Probes Segment_Mean Segment_Call Copy_Number Ploidy';
  const segments = ['S1 chrX 10 20 3 1.0 . 1 1', 'S1 chrX 21 30 3 1.0 . 2 1', 'S1 chr1 10 20 3 0.5 - 1 2'];
  const { rows } = await convertText('copynumber', tsv(header, ...segments), {}, 'S1.seg.called.merged');
  assert.deepEqual(pick(rows, 'copy_number', 'status'), ['1|partialLoss', '1|neutral', '2|gain']);
  const tumor = ['S1 chr1 10 20 3 1.0 . 3 3.1'];
  const ofTumor = await convertText('copynumber', tsv(header, ...tumor), {}, 'S1.seg.called.merged');
  assert.deepEqual(pick(ofTumor.rows, 'status'), ['gain']);
});

describe('SEG', () => {
  test('matrix of many samples; positions as R writes them, X and Y as numbers', async () => {
    const text = tsv(
      'ID chrom loc.start loc.end num.mark seg.mean',
      'S1 1 1e+05 2e+05 10 1',
      'S2 23 5 9 3 -1',
    );
    const { rows, sequences } = await convertText('copynumber', text);
    assert.deepEqual(pick(rows, 'sample_id', ...place, 'gene', 'copy_number', 'attributes'), [
      'S1|chr1|100000|200000|-|4|{"num.mark":10,"seg.mean":1}',
      'S2|chrX|5|9|-|1|{"num.mark":3,"seg.mean":-1}',
    ]);
    assert.deepEqual(pick(sequences, 'id'), ['S1', 'S2']);
  });

  test('a mean that is infinite means unknown copies: they are NULL, and counted in a warning', async () => {
    const text = tsv(
      'ID chrom loc.start loc.end num.mark seg.mean',
      'S 1 5 9 3 -Inf',
      'S 1 10 19 3 inf',
      'S 1 20 29 3 0',
    );
    const { rows, warnings } = await convertText('copynumber', text);
    assert.deepEqual(pick(rows, 'start_position', 'copy_number', 'status', 'attributes'), [
      '5|-|-|{"num.mark":3,"seg.mean":"-Inf"}',
      '10|-|-|{"num.mark":3,"seg.mean":"inf"}',
      '20|2|neutral|{"num.mark":3,"seg.mean":0}',
    ]);
    const reported = [
      '2 segments have an infinite mean, or one beyond what can be measured, such as -9 or 999: their copy_number and status are NULL.',
    ];
    assert.deepEqual(
      warnings.map(({ message }) => message),
      reported,
    );
    const cns = await convertText(
      'copynumber',
      tsv('chromosome start end gene log2 probes', '1 0 9 A,B -inf 5'),
    );
    assert.deepEqual(pick(cns.rows, 'gene', 'copy_number'), ['A|-', 'B|-']);
    assert.match(cns.warnings[0]?.message ?? '', /^1 segments have an infinite mean/);
  });

  test('segments of the GDC, with copies instead of a mean', async () => {
    const text = tsv('GDC_Aliquot Chromosome Start End Copy_Number Major_Copy_Number', 'a-1 chr3 5 9 7 6');
    const { rows } = await convertText('copynumber', text);
    assert.deepEqual(pick(rows, 'sample_id', 'copy_number', 'status', 'attributes'), [
      'a-1|7|amplification|{"Major_Copy_Number":6}',
    ]);
  });
});

describe('real files', { skip: sharedDataSkip }, () => {
  // awk -F'\t' 'NR>1{n=split($4,G,",");delete D;for(i=1;i<=n;i++)if(!(G[i] in D)){D[G[i]];c++}}END{print c}' F
  const counts = { 'cnv/cnvkit_p2-9_2.call.cns': 1217, 'cnv/cnvkit_tr95t.cns': 1067 };
  for (const [name, count] of Object.entries(counts))
    test(`${name} gives ${count} rows, sorted`, async () => {
      const { rows, tables, progress } = await convertFile('copynumber', sharedData(name));
      assert.deepEqual([rows.length, tables[0]?.rows, progress.at(-1)?.[1]], [count, count, count]);
      const keys = rows.map((row) => `${row['chromosome']}\t${String(row['start_position']).padStart(12)}`);
      assert.deepEqual(keys, keys.toSorted());
    });

  test('a row has the values of its line', async () => {
    const called = await convertFile('copynumber', sharedData('cnv/cnvkit_p2-9_2.call.cns'), {
      sampleId: 'P',
    });
    // sed -n 2p F
    const row = called.rows.find(({ gene }) => gene === 'SSU72');
    assert.deepEqual(
      { ...row, attributes: JSON.parse(String(row?.['attributes'])) },
      {
        sample_id: 'P',
        gene: 'SSU72',
        copy_number: 1,
        status: 'partialLoss',
        attributes: { log2: -0.505883, depth: 51.0606, probes: 32, weight: 29.0446 },
        chromosome: 'chr1',
        start_position: 464424n,
        end_position: 3003530n,
        interpretation: null,
        copy_number_set_id: 'set',
      },
    );
    const uncalled = await convertFile('copynumber', sharedData('cnv/cnvkit_tr95t.cns'));
    // sed -n 3p F: PLCH2, log2 0.448062; 2 * 2^0.448062
    const [, gained] = uncalled.rows.filter(({ gene }) => gene === 'PLCH2');
    assert.deepEqual(pick([gained ?? {}], 'start_position', 'status'), ['2422584|gain']);
    assert.ok(Math.abs(Number(gained?.['copy_number']) - 2.728413) < 1e-6);
  });
});
