/** Changes of a file that must not change its rows, and changes of one value that must. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TabularType } from '@ploidy/formats';
import fc from 'fast-check';
import { type Conversion, convertText } from './tabular/conversion.fixture.ts';

interface Source {
  type: TabularType;
  /** First line, then records. */
  lines: readonly (readonly string[])[];
}

const source = (type: TabularType, ...lines: string[]): Source => ({
  type,
  lines: lines.map((line) => line.split(' ')),
});

const sources: readonly Source[] = [
  source(
    'maf',
    'Hugo_Symbol NCBI_Build Chromosome Start_Position Reference_Allele Tumor_Seq_Allele2 Tumor_Sample_Barcode t_ref_count t_alt_count',
    'TP53 GRCh38 17 7674220 C T S1 20 11',
    'BRAF GRCh38 7 140753336 A T S2 31 9',
    'EGFR GRCh38 7 55191822 T G S1 17 8',
  ),
  source(
    'copynumber',
    'ID chrom loc.start loc.end num.mark seg.mean',
    'S1 1 5 9 7 -0.5',
    'S1 X 15 19 6 1.5',
    'S2 1 5 19 5 0.1',
  ),
  source('copynumber', 'sample_id gene copy_number', 'S1 ERBB2 12', 'S2 PTEN 0', 'S2 MYC 4'),
  source('fusion', 'sample_id gene1 gene2 effect', 'S1 BCR ABL1 translocation', 'S2 EML4 ALK inversion'),
  source('expression', 'gene_id S1 S2', 'ENSG00000141510 5.5 2', 'ENSG00000157764 3.25 8'),
  source('expression', 'Name Length EffectiveLength TPM NumReads', 'ENST1 9 8 1.5 3', 'ENST2 7 6 2.5 4'),
];

/** Name of an unknown column. */
const extra = 'Zq_invented';

/** Rows as sorted texts, without what a set or an unknown column adds. */
function rowsOf({ rows, calls, alterations }: Conversion): string[][] {
  return [rows, calls, alterations].map((table) =>
    table
      .map((row) => {
        const given: Record<string, unknown> = JSON.parse(String(row['attributes'] ?? '{}'));
        const attributes = Object.entries(given).filter(([name]) => name !== extra);
        return JSON.stringify({ ...row, attributes: attributes.toSorted() }, (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        );
      })
      .toSorted(),
  );
}

const changes = fc.record({
  lineEnd: fc.constantFrom('\n', '\r\n'),
  hasMark: fc.boolean(),
  hasLastEnd: fc.boolean(),
  isPacked: fc.boolean(),
  isReversed: fc.boolean(),
  isQuoted: fc.boolean(),
  hasExtra: fc.boolean(),
  hasComment: fc.boolean(),
  separator: fc.constantFrom('\t', ','),
  /** Columns in this order, the first one stays where it identifies a table. */
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
});

type Changes = typeof changes extends fc.Arbitrary<infer Value> ? Value : never;

function written({ lines: [names = [], ...records] }: Source, given: Changes): string | Uint8Array {
  const added = [names, ...(given.isReversed ? records.toReversed() : records)].map((line, at) =>
    given.hasExtra ? [...line, at === 0 ? extra : `z${at}`] : [...line],
  );
  const keyOf = (place: number): number => given.order[place] ?? place;
  const places = [...(added[0]?.keys() ?? [])].slice(1).toSorted((left, right) => keyOf(left) - keyOf(right));
  const text = added.map((line) =>
    [0, ...places]
      .map((place) => line[place] ?? '')
      .map((field) => (given.isQuoted && given.separator === ',' ? `"${field}"` : field))
      .join(given.separator),
  );
  const content = `${given.hasMark ? '\ufeff' : ''}${[...(given.hasComment ? ['# made by a program'] : []), ...text].join(given.lineEnd)}${given.hasLastEnd ? given.lineEnd : ''}`;
  return given.isPacked ? gzipSync(content) : content;
}

const plain = (one: Source): string => one.lines.map((line) => `${line.join('\t')}\n`).join('');

for (const one of sources)
  describe(`${one.type}: ${one.lines[0]?.join(' ')}`, () => {
    // In a matrix an unknown column of values is another sample.
    const isMatrix = one.lines[0]?.includes('S2') === true;

    test('line ends, marks, quotes, compression, comments and the order of columns and lines change no row', async () => {
      const expected = rowsOf(await convertText(one.type, plain(one)));
      assert.ok((expected[0]?.length ?? 0) >= 2);
      for (const given of fc.sample(changes, { numRuns: 12, seed: 11 })) {
        const content = written(one, { ...given, hasExtra: given.hasExtra && !isMatrix });
        assert.deepEqual(rowsOf(await convertText(one.type, content)), expected, JSON.stringify(given));
      }
    });

    test('another value in a column that is read or kept changes rows, or is reported', async () => {
      const base = await convertText(one.type, plain(one));
      const before = rowsOf(base);
      const [names = [], first = [], ...others] = one.lines;
      for (const [place, name] of names.entries()) {
        if (base.account?.unread.some((unread) => unread.name === name)) continue;
        const value = first[place] ?? '';
        const changed = /^-?[\d.]+$/.test(value)
          ? String(Number(value) + 1)
          : ((/^[ACGT]$/.test(value) ? 'G' : undefined) ?? `${value}7`);
        const lines = [names, first.with(place, changed), ...others];
        // A refusal is a report as well.
        const after = await convertText(one.type, plain({ ...one, lines })).catch(() => undefined);
        const isSeen =
          !after ||
          JSON.stringify(rowsOf(after)) !== JSON.stringify(before) ||
          JSON.stringify(after.warnings) !== JSON.stringify(base.warnings);
        assert.ok(isSeen, name);
      }
    });
  });
