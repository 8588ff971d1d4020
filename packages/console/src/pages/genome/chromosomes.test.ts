import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basesIn, type Chromosome, chromosomesOf, cutRegions } from './chromosomes.ts';

test('sequences are chromosomes as long as they are', () => {
  const chromosomes = chromosomesOf([{ id: 'a', name: 'chr1', length: 9 }], 'GRCh38');
  assert.deepEqual(chromosomes, [{ name: 'chr1', length: 9, parts: [{ start: 0, end: 9, reference: 'a' }] }]);
  assert.deepEqual(cutRegions(chromosomes), []);
});

test('sequences that were cut out are parts of their chromosomes, whose length is that of the assembly', () => {
  const sequences = [
    { id: 'a', name: 'chr7:101-110', length: 10 },
    { id: 'b', name: 'chr7:201-205', length: 5 },
  ];
  const chromosomes = chromosomesOf(sequences, 'hg38');
  assert.equal(chromosomes.length, 25);
  const seventh = chromosomes.find(({ name }) => name === 'chr7');
  assert.equal(seventh?.length, 159_345_973);
  assert.deepEqual(cutRegions(chromosomes), ['chr7:101-110', 'chr7:201-205']);
  assert.deepEqual(
    chromosomesOf(sequences, undefined).map(({ name, length }) => [name, length]),
    [['chr7', 205]],
  );
  const [first] = chromosomesOf([{ id: 'a', name: '7:101-110', length: 10 }], 'GRCh38.p14');
  assert.equal(first?.name, '1');
});

test('a name with the form of a region, but of another length, is the name of a sequence', () => {
  const [only] = chromosomesOf([{ id: 'a', name: 'HLA:1-5', length: 9 }], undefined);
  assert.deepEqual([only?.name, only?.length], ['HLA:1-5', 9]);
});

test('bases are read from the parts that a range touches, with N between them', async () => {
  const chromosome: Chromosome = {
    name: 'chr7',
    length: 100,
    parts: [
      { start: 20, end: 24, reference: 'TTTT' },
      { start: 10, end: 14, reference: 'ACGT' },
    ],
  };
  const read = async (reference: string, start: number, end: number): Promise<string> =>
    reference.slice(start, end);
  const bases = (start: number, end: number) => basesIn(chromosome, start, end, read);
  assert.equal(await bases(8, 13), 'NNACG');
  assert.equal(await bases(12, 26), 'GTNNNNNNTTTTNN');
  assert.equal(await bases(14, 20), undefined);
});
