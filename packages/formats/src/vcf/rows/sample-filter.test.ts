import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { filtersOfAllele } from './sample-filter.ts';

const filter: fc.Arbitrary<string> = fc.constantFrom(
  'RF',
  'AC0',
  'weak_evidence',
  'base_qual',
  'strand_bias',
);
const failed: fc.Arbitrary<string[]> = fc.uniqueArray(filter, { minLength: 1, maxLength: 3 });
/** Filters of each alternate of a record. */
const alleles = fc.array(fc.oneof(failed, fc.constant<string[]>(['PASS'])), { minLength: 1, maxLength: 4 });
/** Separators of alternates and of their filters. */
const styles = [
  ['|', ','],
  [',', '|'],
] as const;

describe('filters of alternates', () => {
  test('an alternate never has the filter of another, whichever separator is of alternates', () => {
    fc.assert(
      fc.property(alleles, fc.constantFrom(...styles), (written, [between, within]) => {
        const text = written.map((one) => one.join(within)).join(between);
        for (const [index, own] of written.entries())
          for (const read of filtersOfAllele(text, index + 1, written.length))
            assert.ok(own.includes(read), `${text}, alternate ${index + 1}: ${read}`);
      }),
    );
  });

  test('PASS and SITE, which are alone, show which separator is of alternates', () => {
    assert.deepEqual(filtersOfAllele('RF|AC0,PASS', 1, 2), ['RF', 'AC0']);
    assert.deepEqual(filtersOfAllele('RF|AC0,PASS', 2, 2), ['PASS']);
    assert.deepEqual(filtersOfAllele('weak_evidence,base_qual|SITE', 1, 2), ['weak_evidence', 'base_qual']);
    assert.deepEqual(filtersOfAllele('weak_evidence,base_qual|SITE', 2, 2), ['SITE']);
    assert.deepEqual(filtersOfAllele('RF|AC0', 1, 1), ['RF', 'AC0']);
  });
});
