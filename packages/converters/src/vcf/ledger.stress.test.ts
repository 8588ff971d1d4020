import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { InputError } from '@ploidy/formats';
import { realFiles, realFilesSkip } from '../../../../test/support/real-files.ts';
import { type Call, keyOf, printedFile } from './bcftools-rows.fixture.ts';
import { type Conversion, convertFile, type Row } from './conversion.fixture.ts';

const packages = ['bcftools', 'htslib'];
const skip = realFilesSkip(packages, 'bcftools');
const sizeMaxBytes = 200_000;

/** One path for each content: many files are copies. */
const paths = new Map(
  packages
    .flatMap((name) => realFiles(name, ['.vcf', '.bcf', '.vcf.gz']))
    .filter((path) => statSync(path).size <= sizeMaxBytes)
    .map((path) => [readFileSync(path, 'latin1'), path]),
);

/** Reasons to refuse a record that bcftools reads: its tests have such records on purpose. */
const reasons =
  /(?:POS is not a whole number|REF is not made of bases|ALT is not a list of alleles|ALT repeats an allele|names an allele that ALT does not have|column \d+ has more values than FORMAT has keys|genotype \(GT\) in column \d+ cannot be read|\d+ columns, but the header has \d+|no BGZF end-of-file block)/;

const sums = { files: 0, refused: 0, unread: 0, rows: 0, values: 0 };

describe('rows of real files are those of bcftools', { skip }, () => {
  for (const path of paths.values())
    test(path.split('/').slice(-2).join('/'), async () => {
      const printed = printedFile(path);
      let conversion: Conversion;
      try {
        conversion = await convertFile(path);
      } catch (error) {
        assert.ok(error instanceof InputError, String(error));
        sums.refused += 1;
        if (printed) assert.match(error.message, reasons);
        return;
      }
      if (!printed) {
        sums.unread += 1;
        return;
      }
      sums.files += 1;
      assert.equal(conversion.account?.records, printed.recordCount);
      const calls = new Map(
        conversion.calls.map((row) => [`${row['variant_id']} ${row['sample_id'] ?? ''}`, row]),
      );
      const keys = conversion.variants.map((row) => {
        const allele = [row['position'], row['reference'], row['alternate']];
        const key = keyOf(String(row['chromosome']), allele, String(row['sample_id'] ?? ''));
        const call = calls.get(`${row['variant_id']} ${row['sample_id'] ?? ''}`);
        assert.ok(call, `${key} has a call`);
        const own = { ...call, genotype: row['genotype'] };
        const expected = printed.calls.get(key) ?? [];
        assert.ok(
          expected.some((one) => differences(own, one).length === 0),
          `${key}: ${expected.map((one) => differences(own, one)).join(' or ')}`,
        );
        return key;
      });
      sums.rows += keys.length;
      assert.deepEqual([...new Set(keys)].toSorted(), [...printed.calls.keys()].toSorted());
    });

  test('most files are read by both', (context) => {
    context.diagnostic(JSON.stringify(sums));
    assert.ok(sums.files > 200 && sums.values > 20_000);
  });
});

const numbers = [
  ...['quality', 'depth', 'genotype_quality', 'reference_depth', 'alternate_depth'],
  'phase_set',
] as const;

/** Lists values of a row that differ from those printed. A value that bcftools lacks under these keys may be of another key. */
function differences(own: Row, printed: Call): string[] {
  const differing = numbers.filter((name) => {
    const value = printed[name];
    if (value === undefined || value === '.') return false;
    sums.values += 1;
    // One number is meant: a list has several.
    if (value.includes(',')) return own[name] !== null;
    const isText = Number.isNaN(Number(value));
    return isText ? own[name] !== value : !isNear(Number(own[name] ?? Number.NaN), Number(value));
  });
  const genotype = printed['genotype'] ?? null;
  sums.values += 2;
  return [
    ...differing.map((name) => `${name} ${own[name]} instead of ${printed[name]}`),
    ...((own['genotype'] ?? null) === genotype ? [] : [`genotype ${own['genotype']} instead of ${genotype}`]),
    ...(filtersOf(own['filter']) === filtersOf(printed['filter'], printed['sample_filter'])
      ? []
      : ['filter']),
  ];
}

/** bcftools keeps numbers with 32 bits. */
const isNear = (left: number, right: number): boolean =>
  Math.abs(left - right) <= 1e-5 * Math.max(1, Math.abs(right));

/** Failed filters of a record and of a genotype together. */
function filtersOf(...texts: unknown[]): string {
  const all = texts.flatMap((text) => (typeof text === 'string' ? text.split(/[;,]/) : []));
  return [...new Set(all.filter((text) => text !== 'PASS' && text !== '.'))].toSorted().join(';');
}
