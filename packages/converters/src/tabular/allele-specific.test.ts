/** Segments of programs with copy numbers of both alleles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, pick, tsv } from './conversion.fixture.ts';

const columns = ['sample_id', 'chromosome', 'start_position', 'end_position', 'copy_number', 'status'];

test('ASCAT: the copies of a segment are those of both alleles, which stay in attributes', async () => {
  const text = tsv('sample chr startpos endpos nMajor nMinor', 'A 1 10 200 2 1', 'B X 10 200 1 0');
  const { rows } = await convertText('copynumber', text, {}, 'cohort.segments.txt');
  assert.deepEqual(pick(rows, ...columns, 'attributes').sort(), [
    'A|chr1|10|200|3|gain|{"nMajor":2,"nMinor":1}',
    'B|chrX|10|200|1|partialLoss|{"nMajor":1,"nMinor":0}',
  ]);
});

test('Sequenza: CNt, with the marks that R puts around names; the sample is that of the file', async () => {
  const text =
    '"chromosome"\t"start.pos"\t"end.pos"\t"Bf"\t"depth.ratio"\t"CNt"\t"A"\t"B"\t"LPP"\n"1"\t10\t200\t0.1\t1.2\t6\t4\t2\t-7\n"2"\t5\t9\t0.1\t0.5\tNA\tNA\tNA\tNA\n';
  const { rows, warnings } = await convertText('copynumber', text, {}, 'S1_segments.txt');
  assert.deepEqual(pick(rows, ...columns), ['S1|chr1|10|200|6|amplification', 'S1|chr2|5|9|-|-']);
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['1 segments have no copy number: their copy_number and status are NULL.'],
  );
});

test('FACETS: the copies of its better estimate, of the sample in ID or of the file; 23 is X', async () => {
  const named = tsv(
    'ID chrom loc.start loc.end seg num.mark cnlr.median tcn lcn tcn.em lcn.em',
    'F1 1 10 200 1 50 0.3 3 1 4 1',
    'F1 23 10 200 2 50 -0.3 1 0 1 0',
  );
  const { rows } = await convertText('copynumber', named, {}, 'run_hisens.cncf.txt');
  assert.deepEqual(pick(rows, ...columns), ['F1|chr1|10|200|4|gain', 'F1|chrX|10|200|1|partialLoss']);
  const unnamed = tsv('chrom seg num.mark cnlr.median start end tcn.em lcn.em', '1 1 50 0.3 10 200 2 1');
  const ofFile = await convertText('copynumber', unnamed, {}, 'F2.segments.tsv');
  assert.deepEqual(pick(ofFile.rows, ...columns), ['F2|chr1|10|200|2|neutral']);
});

test('FACETS: where its better estimate is missing for a segment, the copies are those of the other', async () => {
  const text = tsv(
    'chrom seg num.mark cnlr.median start end tcn.em tcn',
    '1 1 50 0.3 10 200 NA 3',
    '2 2 50 0.3 10 200 4 3',
    '3 3 50 0.3 10 200 NA NA',
  );
  const { rows, warnings } = await convertText('copynumber', text, {}, 'S.cncf.txt');
  assert.deepEqual(pick(rows, ...columns), [
    'S|chr1|10|200|3|gain',
    'S|chr2|10|200|4|gain',
    'S|chr3|10|200|-|-',
  ]);
  assert.match(warnings.map(({ message }) => message).join(), /^1 segments have no copy number/);
});

test('copies below 0 are broken, and a segment is none without its positions', async () => {
  const line = (text: string) => tsv('sample chr startpos endpos nMajor nMinor', text);
  await assert.rejects(convertText('copynumber', line('A 1 10 200 -1 1')), { message: /cannot be below 0/ });
  await assert.rejects(convertText('copynumber', line('A 1 NA 200 1 1')), { message: /position is missing/ });
});

test('one copy of Y is neutral, no copy may be a woman, one of X a man', async () => {
  const read = async (type: string): Promise<Awaited<ReturnType<typeof convertText>>> =>
    convertText(
      'copynumber',
      tsv(
        `sample chr startpos endpos nMajor nMinor${type}`,
        ...['Y 1 0', 'Y 0 0', 'Y 1 1', 'X 1 0', '1 1 0'].map((line, at) => {
          const [chromosome, major, minor] = line.split(' ');
          return `S1 ${chromosome} ${at + 1}0 ${at + 1}5 ${major} ${minor}${type && (chromosome === '1' ? ' 2' : ' 1')}`;
        }),
      ),
    );
  const found = await read('');
  assert.deepEqual(pick(found.rows, 'chromosome', 'copy_number', 'status').toSorted(), [
    'chr1|1|partialLoss',
    'chrX|1|partialLoss',
    'chrY|0|-',
    'chrY|1|neutral',
    'chrY|2|gain',
  ]);
  assert.match(found.warnings.map(({ message }) => message).join(), /^1 rows of chrX have one copy/);
  const stated = await read(' Ploidy');
  assert.deepEqual(pick(stated.rows, 'chromosome', 'copy_number', 'status').toSorted(), [
    'chr1|1|partialLoss',
    'chrX|1|neutral',
    'chrY|0|loss',
    'chrY|1|neutral',
    'chrY|2|gain',
  ]);
  assert.deepEqual(stated.warnings, []);
});
