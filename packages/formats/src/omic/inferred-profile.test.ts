/** Tables of invented programs are read by the meaning of their columns, or refused in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InputError } from '../input-error.ts';
import type { Row } from '../parquet/index.ts';
import { recogniseColumns } from './recognise.ts';

type Column = readonly [name: string, values: readonly string[]];

function rowsOf(columns: readonly Column[]): Row[] {
  const lines = [columns.map(([name]) => name)];
  for (const at of columns[0]?.[1].keys() ?? []) lines.push(columns.map(([, values]) => values[at] ?? ''));
  const text = `${lines.map((line) => line.join('\t')).join('\n')}\n`;
  const found = recogniseColumns(text, { fileName: 'S1.tsv', isWhole: true });
  if (!found) throw new InputError('unknown');
  return lines.slice(1).flatMap((line) => found.file.rows(line));
}

const inAnyCase = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name,
    name.toUpperCase(),
    name.toLowerCase(),
    name.replaceAll('_', '.'),
    name.replaceAll('_', ' '),
  );
const named = (...names: string[]): fc.Arbitrary<string> => fc.constantFrom(...names).chain(inAnyCase);
const shuffled = (columns: Column[]): fc.Arbitrary<Column[]> =>
  fc.shuffledSubarray([...columns, ['zq_note', columns[0]?.[1].map(() => 'x') ?? []] as const], {
    minLength: columns.length + 1,
  });

const segments = fc.record({
  chromosome: named('contig', 'seqname', 'seg_chr', 'chromosome_name').filter(
    (name) => !/seg.chr/i.test(name),
  ),
  start: named('seg_start', 'start_pos', 'start_bp', 'cnv_start'),
  end: named('seg_end', 'end_pos', 'stop', 'end_bp'),
  copies: named('total_cn', 'tumor_copy_number', 'cn', 'inferred_copies'),
  sample: named('sample_name', 'aliquot_id', 'ModelID'),
  firstBase: fc.constantFrom(0, 1),
  lengths: fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 2, maxLength: 5 }),
  numbers: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 5, maxLength: 5 }),
});

test('segments of unknown programs have their copies, and starts as the neighbours of each show', () => {
  const property = fc.property(
    segments.chain((table) => {
      let end = 100;
      const places = table.lengths.map((length) => {
        const start = end + 1;
        end += length;
        return { start, end };
      });
      const columns: Column[] = [
        [table.sample, places.map(() => 'P7')],
        [table.chromosome, places.map(() => '3')],
        [table.start, places.map(({ start }) => `${start - 1 + table.firstBase}`)],
        [table.end, places.map((place) => `${place.end}`)],
        [table.copies, places.map((_, at) => `${table.numbers[at]}`)],
      ];
      const expected = places.map((place, at) => ['P7', 'chr3', place.start, place.end, table.numbers[at]]);
      return fc.tuple(shuffled(columns), fc.constant(expected));
    }),
    ([columns, expected]) => {
      const rows = rowsOf(columns).map((row) => [
        ...[
          row['sample_id'],
          row['chromosome'],
          row['start_position'],
          row['end_position'],
          row['copy_number'],
        ],
      ]);
      assert.deepEqual(rows, expected);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('segments whose first base nothing shows, and columns of one meaning, are refused with the remedy', () => {
  const apart: Column[] = [
    ['contig', ['1', '1']],
    ['start', ['5', '90']],
    ['end', ['9', '99']],
    ['total_cn', ['2', '3']],
  ];
  assert.throws(() => rowsOf(apart), /start_position/);
  assert.throws(
    () => rowsOf([...apart, ['tumour_copy_number', ['2', '3']]]),
    /Several columns may hold the number of copies \(total_cn, tumour_copy_number\)/,
  );
});

const ends = fc.constantFrom(
  ...([
    ['A', 'B'],
    ['Left', 'Right'],
    ['up', 'down'],
    ['5prime', '3prime'],
    ['donor', 'acceptor'],
  ] as const),
);

test('fusions of unknown programs have the genes of both partners in their order, and no position of an unknown base', () => {
  const property = fc.property(
    fc
      .tuple(ends, fc.constantFrom('gene', 'partner', 'gene_name'), fc.constantFrom('chr', 'chromosome'))
      .chain(([[first, second], gene, chromosome]) =>
        shuffled([
          [`${gene}_${first}`, ['BCR']],
          [`${gene}_${second}`, ['ABL1']],
          [`${chromosome}_${first}`, ['22']],
          [`${chromosome}_${second}`, ['9']],
          [`breakpoint_${first}`, ['23632600']],
          [`breakpoint_${second}`, ['133729451']],
          ['in_frame', ['yes']],
        ]),
      ),
    (columns) => {
      const [row] = rowsOf(columns);
      assert.deepEqual(
        [row?.['gene1'], row?.['gene2'], row?.['chromosome1'], row?.['chromosome2'], row?.['in_frame']],
        ['BCR', 'ABL1', 'chr22', 'chr9', 'yes'],
      );
      assert.equal(row?.['start_position1'], undefined);
    },
  );
  fc.assert(property, { numRuns: 100 });
});

test('quantities of unknown programs have their unit by the name of their column, TPM first', () => {
  const property = fc.property(
    fc
      .record({
        gene: named('gene_id', 'ensembl_gene_id', 'GeneID'),
        tpm: named('TPM'),
        count: named('read_count', 'counts', 'num_reads'),
      })
      .chain(({ gene, tpm, count }) =>
        shuffled([
          [gene, ['ENSG00000141510']],
          [tpm, ['1.5']],
          ['FPKM', ['2.5']],
          [count, ['7']],
          ['length', ['100']],
        ]).filter(([first]) => first?.[0] !== 'zq_note'),
      ),
    (columns) => {
      const [row] = rowsOf(columns);
      assert.deepEqual(
        [row?.['gene_id'], row?.['expression'], row?.['expression_unit'], row?.['raw_count']],
        ['ENSG00000141510', 1.5, 'tpm', 7],
      );
    },
  );
  fc.assert(property, { numRuns: 100 });
  assert.throws(
    () =>
      rowsOf([
        ['gene_id', ['ENSG1']],
        ['raw_count_reads', ['1']],
        ['exon_reads', ['2']],
        ['fragment_counts', ['2']],
      ]),
    InputError,
  );
});
