import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alterationsIn, sharedGenes } from './alterations-in.ts';
import { apart, GenomeAxis, segmentsIn } from './places.ts';
import { differingFacts, samplesIn } from './samples.ts';

test('labels are apart by the gap, in the order of their values and within the room', () => {
  const values = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 12 });
  fc.assert(
    fc.property(values, (list) => {
      const moved = apart(list, 20, 0, 300);
      const sorted = moved.toSorted((one, other) => one - other);
      for (const [at, value] of sorted.entries())
        if (at > 0) assert.ok(value - (sorted[at - 1] ?? 0) >= 20 - 1e-9);
      for (const [at, value] of moved.entries()) {
        assert.ok(value >= -1e-9 && value <= 300 + 1e-9);
        for (const [other, next] of moved.entries())
          if ((list[at] ?? 0) < (list[other] ?? 0)) assert.ok(value < next);
      }
    }),
  );
  assert.deepEqual(apart([50, 100], 20, 0, 300), [50, 100]);
  assert.deepEqual(apart([100, 100], 20, 0, 300), [90, 110]);
});

test('a segment that is listed for each gene is drawn once, and other sequences are counted', () => {
  const axis = new GenomeAxis([{ chromosome: 'chr1', end: 300_000_000 }]);
  assert.deepEqual(axis.chromosomes.slice(0, 2), [
    { name: '1', start: 0, end: 300_000_000 },
    { name: '2', start: 300_000_000, end: 542_193_529 },
  ]);
  assert.equal(axis.chromosomes.at(-1)?.name, 'X');
  const row = (chromosome: string, gene: string | null, copy_number: number | null = 1) => ({
    ...{ sample_id: 'S', chromosome, start_position: 5, end_position: 9, copy_number, gene },
  });
  const rows = [row('chr2', 'A'), row('chr2', 'B'), row('chr1', null), row('chr1_random', 'C')];
  const { segments, leftOut } = segmentsIn([...rows, row('chr2', 'D', null)], axis);
  assert.deepEqual(
    segments.map(({ start, end, copies }) => [start, end, copies]),
    [
      [300_000_005, 300_000_009, 1],
      [5, 9, 1],
    ],
  );
  assert.equal(leftOut, 2);
});

test('samples have the order of the disease, and the table only facts that differ', () => {
  const value = (sample_id: string, attribute_id: string, of: string) => ({
    sample_id,
    attribute_id,
    value: of,
  });
  const rows = {
    sequence: ['C', 'A', 'B'].map((id) => ({ id, specimen_id: null, test_type: 'WES' })),
    specimen: [],
    attribute_value: [
      value('A', 'SAMPLE_TYPE', 'Metastasis'),
      value('B', 'SAMPLE_TYPE', 'Primary'),
      value('C', 'SAMPLE_TYPE', 'Local recurrence'),
      { sample_id: 'C', attribute_id: 'PURITY', value: null, number: 0.123456 },
    ],
  };
  const samples = samplesIn(rows, (id) => id.toLowerCase());
  assert.deepEqual(
    samples.map(({ id, number }) => [id, number]),
    [
      ['B', 1],
      ['C', 2],
      ['A', 3],
    ],
  );
  assert.deepEqual(differingFacts(samples), [
    { name: 'sample_type', values: ['Primary', 'Local recurrence', 'Metastasis'] },
    {
      name: 'purity',
      values: [undefined, (0.1235).toLocaleString(undefined, { maximumSignificantDigits: 4 }), undefined],
    },
  ]);
  const dated = {
    sequence: ['A', 'B'].map((id) => ({ id, specimen_id: `s${id}`, test_type: null })),
    specimen: [
      { id: 'sA', type_display: 'Tissue', collected_date: '2021-01-01' },
      { id: 'sB', type_display: 'Metastasis', collected_date: '2020-01-01' },
    ],
  };
  assert.deepEqual(
    samplesIn(dated, String).map(({ id }) => id),
    ['B', 'A'],
  );
});

test('genes of several patients are shared, known ones first, and rows of several samples are one alteration', () => {
  const row = (gene: string, sample_id: string, more: object = {}) => ({
    ...{
      gene,
      sample_id,
      kind: 'mutation',
      class: 'missense',
      chromosome: 'chr1',
      position: 7,
      alternate: 'A',
    },
    ...{ protein_change: 'p.Val600Glu', allele_fraction: 0.4, ...more },
  });
  const one = alterationsIn([row('B', 'S1'), row('B', 'S2', { allele_fraction: null }), row('A', 'S1')]);
  assert.deepEqual(
    one.map(({ gene, change, fractions }) => [gene, change, [...fractions]]),
    [
      ['A', 'V600E', [['S1', 0.4]]],
      [
        'B',
        'V600E',
        [
          ['S1', 0.4],
          ['S2', null],
        ],
      ],
    ],
  );
  const other = alterationsIn([
    row('A', 'T1', { position: 9, protein_change: null }),
    row('B', 'T1', { clinical_significance: 'Pathogenic' }),
    row('C', 'T1', { clinical_significance: 'Conflicting classifications of pathogenicity' }),
  ]);
  assert.deepEqual(
    sharedGenes(
      new Map([
        ['p', one],
        ['q', other],
      ]),
    ).map(({ gene, isKnown, words }) => [gene, isKnown, [...words.values()]]),
    [
      ['B', true, ['V600E', 'V600E']],
      ['A', false, ['V600E', 'missense']],
    ],
  );
});
