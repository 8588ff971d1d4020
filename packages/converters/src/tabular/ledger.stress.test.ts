import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { InputError, type TabularType } from '@ploidy/formats';
import { realFiles, realFilesSkip } from '../../../../test/support/real-files.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { type Conversion, convertFile, type TableRow } from './conversion.fixture.ts';

type Cells = Readonly<Record<string, string>>;

const packages = ['varcode', 'pymaftools'];
const skip = realFilesSkip(packages);

/** Real files by type. */
const files: readonly (readonly [type: TabularType, path: string])[] = [
  ...packages.flatMap((name) => realFiles(name, ['.maf']).map((path) => ['maf', path] as const)),
  ...(sharedDataSkip === false
    ? ([
        ['maf', sharedData('maf/vcf2maf_test_b38_output.maf')],
        ['copynumber', sharedData('cnv/cnvkit_p2-9_2.call.cns')],
        ['copynumber', sharedData('cnv/cnvkit_tr95t.cns')],
        ['expression', sharedData('expression/ga4gh_rsem_test_data.tsv')],
        ['expression', sharedData('expression/htseq_counts.tsv')],
      ] as const)
    : []),
];

/** Splits a table at tabs or commas, without a thought for its meaning. Rows that have another length than the first stay out. */
function plainRecords(path: string): Cells[] {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString().replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^#(?!gene|fusion)/i.test(line));
  const separator = lines[0]?.includes('\t') === true ? '\t' : ',';
  const fieldsOf = (line: string): string[] =>
    line.split(separator).map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
  const [titles = [], ...records] = lines.map(fieldsOf);
  return records.map((record) =>
    Object.fromEntries(
      titles.map((title, place) => [title.replaceAll('"', '').toLowerCase(), record[place] ?? '']),
    ),
  );
}

const given = (text: string | undefined): text is string =>
  text !== undefined && !/^(?:|\.|na|n\/a|nan|null|none)$/i.test(text);

/** Changes of a line of a MAF, as `sample chromosome position reference>alternate`. The base before an indel is left out. */
function plainMutations(record: Cells): string[] {
  const of = (name: string): string => record[name]?.toUpperCase() ?? '';
  const start = Number(of('start_position'));
  const reference = of('reference_allele').replaceAll('-', '');
  const alleles = [of('tumor_seq_allele1'), of('tumor_seq_allele2')].filter(given);
  const alternates = new Set(alleles.map((allele) => allele.replaceAll('-', '')));
  alternates.delete(reference);
  return [...alternates].map((alternate) => {
    let [position, before, after] = [start, reference, alternate];
    while (before.length > 1 && after.length > 1 && before.at(-1) === after.at(-1))
      [before, after] = [before.slice(0, -1), after.slice(0, -1)];
    while (before.length > 1 && after.length > 1 && before[0] === after[0])
      [position, before, after] = [position + 1, before.slice(1), after.slice(1)];
    // An insertion or deletion is placed by the base before it, which is left out here.
    if (after === '') position -= 1;
    if (before.length !== after.length && before !== '' && before[0] === after[0])
      [before, after] = [before.slice(1), after.slice(1)];
    return [
      record['tumor_sample_barcode'],
      plainChromosome(of('chromosome')),
      position,
      `${before}>${after}`,
    ].join(' ');
  });
}

const plainChromosome = (name: string): string => {
  const bare = name.replace(/^chr/i, '').toUpperCase().replace(/^23$/, 'X').replace(/^24$/, 'Y');
  return `chr${bare === 'MT' ? 'M' : bare}`;
};

/** Describes a row of `variant` in the same words. */
function mutationOf(row: TableRow): string {
  let [before, after] = [String(row['reference']), String(row['alternate'])];
  if (before.length !== after.length && before[0] === after[0])
    [before, after] = [before.slice(1), after.slice(1)];
  return [row['sample_id'], row['chromosome'], row['position'], `${before}>${after}`].join(' ');
}

/** Segments of CNVkit, SEG and their like: one for each gene that a line names. */
function plainSegments(record: Cells): string[] {
  const first = (...names: string[]): string | undefined => names.map((name) => record[name]).find(given);
  // CNVkit counts from 0.
  const isHalfOpen = record['weight'] !== undefined;
  const start = Number(first('start', 'loc.start', 'chromstart')) + (isHalfOpen ? 1 : 0);
  const mean = first('seg.mean', 'segment_mean', 'log2');
  const copies = first('cn') ?? (mean === undefined ? undefined : 2 * 2 ** Number(mean));
  const genes = (record['gene'] ?? '-').split(',');
  return genes.map((gene) =>
    [
      first('id', 'sample') ?? '',
      plainChromosome(first('chromosome', 'chrom', 'chr') ?? ''),
      start,
      Number(first('end', 'loc.end', 'chromend')),
      copies === undefined ? null : Number(copies).toPrecision(9),
      /^(?:-|antitarget|background)$/i.test(gene) ? '' : gene,
    ].join(' '),
  );
}

const segmentOf = (row: TableRow, isNamed: boolean): string =>
  [
    isNamed ? row['sample_id'] : '',
    ...[row['chromosome'], row['start_position'], row['end_position']],
    row['copy_number'] === null ? null : Number(row['copy_number']).toPrecision(9),
    row['gene'] ?? '',
  ].join(' ');

const sums = { files: 0, refused: 0, records: 0, values: 0 };

describe('rows of real tables are those of a plain reader', { skip }, () => {
  for (const [type, path] of files)
    test(path.split('/').slice(-2).join('/'), async (context) => {
      let conversion: Conversion;
      try {
        conversion = await convertFile(type, path, { onError: 'skip' });
      } catch (error) {
        assert.ok(error instanceof InputError, String(error));
        context.diagnostic(error.message);
        sums.refused += 1;
        return;
      }
      const { rows, account } = conversion;
      const records = plainRecords(path);
      const left = account?.leftOut.reduce((sum, { count }) => sum + count, 0) ?? 0;
      if (type === 'maf') {
        assert.equal(account?.records, records.length);
        assertSame(rows.map(mutationOf), records.map(plainMutations), left);
      } else if (type === 'copynumber') {
        assert.equal(account?.records, records.length);
        const isNamed = records.some((record) => given(record['id'] ?? record['sample']));
        assertSame(
          rows.map((row) => segmentOf(row, isNamed)),
          records.map(plainSegments),
          left,
        );
      } else requireValues(rows, path);
      sums.files += 1;
      sums.records += account?.records ?? 0;
    });

  test('files were read', (context) => {
    context.diagnostic(JSON.stringify(sums));
    assert.ok(sums.files >= 5 && sums.values > 1000);
  });
});

/** Requires that each row is in the file. Each record has its rows, or is reported as left out. */
function assertSame(own: readonly string[], plain: readonly (readonly string[])[], left: number): void {
  sums.values += own.length;
  const all = new Set(plain.flat());
  assert.deepEqual(own.filter((row) => !all.has(row)).slice(0, 5), []);
  const found = new Set(own);
  const missing = plain.filter((rows) => !rows.every((row) => found.has(row)));
  assert.ok(
    missing.length <= left,
    `${missing.length} missing, ${left} left out: ${missing.slice(0, 3).join('; ')}`,
  );
}

/** Requires that each amount is a field of a line with its gene. */
function requireValues(rows: readonly TableRow[], path: string): void {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  const byGene = new Map<string, Set<number>>();
  for (const line of text.split(/\r?\n/)) {
    const fields = line
      .split(line.includes('\t') ? '\t' : ',')
      .map((field) => field.replaceAll('"', '').trim());
    const numbers = fields.map(Number);
    for (const field of fields)
      for (const name of new Set([field, ...field.split(/[|_]/), field.replace(/\.\d+$/, '')])) {
        const known = byGene.get(name) ?? new Set();
        for (const number of numbers) known.add(number);
        byGene.set(name, known);
      }
  }
  for (const row of rows)
    for (const column of ['expression', 'raw_count']) {
      const value = row[column];
      if (value === null || value === undefined) continue;
      sums.values += 1;
      const gene = String(row['gene_id'] ?? row['gene_name']);
      assert.ok(byGene.get(gene)?.has(Number(value)), `${column} ${value} of ${gene}`);
    }
}
