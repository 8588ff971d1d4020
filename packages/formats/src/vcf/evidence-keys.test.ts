import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { evidenceKeys, evidenceOf } from './evidence-keys.ts';
import type { FieldDefinition } from './header.ts';

type Counts = Readonly<Record<string, number | readonly number[]>>;

/** Reads the counts of a sample by a header of `[id, number, description]`. */
function read(fields: readonly [id: string, number: string, description: string][], counts: Counts) {
  const format = new Map(
    fields.map(([id, number, description]): [string, FieldDefinition] => [
      id,
      { id, number, type: 'Integer', description },
    ]),
  );
  return evidenceOf(evidenceKeys(format), (key) => [counts[key] ?? []].flat());
}

describe('reads of alleles', () => {
  test('Delly counts pairs and junctions, and the depth beside them is not added', () => {
    const fields: [string, string, string][] = [
      ['RCL', '1', 'Raw high-quality read counts or base counts for the left control region'],
      ['RC', '1', 'Raw high-quality read counts or base counts for the SV'],
      ['DR', '1', '# high-quality reference pairs'],
      ['DV', '1', '# high-quality variant pairs'],
      ['RR', '1', '# high-quality reference junction reads'],
      ['RV', '1', '# high-quality variant junction reads'],
    ];
    const found = read(fields, { RCL: 200, RC: 100, DR: 10, DV: 9, RR: 12, RV: 8 });
    assert.deepEqual(found, { reference: 22, alternate: 17, isSupported: true });
  });

  test('SvABA counts all reads in AD, and its parts are not added', () => {
    const fields: [string, string, string][] = [
      ['AD', '1', 'Allele depth: Number of reads supporting the variant'],
      ['SR', '1', 'Number of spanning reads for this variants'],
      ['DR', '1', 'Number of discordant-supported reads for this variant'],
    ];
    assert.equal(read(fields, { AD: 20, SR: 12, DR: 8 }).alternate, 20);
  });

  test('GRIDSS counts the fragments of the breakpoint, not of single breakends', () => {
    const fields: [string, string, string][] = [
      ['BVF', '1', 'Count of fragments providing breakend for the variant allele.'],
      [
        'VF',
        '1',
        'Count of fragments supporting the variant breakpoint allele and not the reference allele.',
      ],
    ];
    assert.equal(read(fields, { BVF: 0, VF: 30 }).alternate, 30);
  });

  test('lists for each allele are added up, unless one list has all reads', () => {
    const [pairs, split] = ['Spanning paired-read support', 'Split reads'].map(
      (kind) => `${kind} for the ref and alt alleles in the order listed`,
    );
    const lists: [string, string, string][] = [
      ['PR', '.', pairs ?? ''],
      ['SR', '.', split ?? ''],
    ];
    assert.equal(read(lists, { PR: [20, 8], SR: [30, 12] }).alternate, 20);
    const all: [string, string, string][] = [
      ...lists,
      ['AD', 'R', 'Allelic depths for the ref and alt alleles in the order listed'],
    ];
    assert.equal(read(all, { AD: [50, 15], PR: [20, 8], SR: [30, 12] }).alternate, 15);
  });

  const kinds = ['pairs', 'split reads', 'discordant fragments', 'junction reads', 'long reads', 'molecules'];
  const words = fc.constantFrom(['reference', 'variant'], ['ref', 'alt'], ['wild-type', 'mutant']);
  const count = fc.nat(500);

  test('pairs of any header are added up, whatever else counts the alternate', () => {
    const pair = fc.tuple(fc.constantFrom(...kinds), words, count, count);
    const single = fc.tuple(fc.constantFrom(...kinds), count);
    fc.assert(
      fc.property(
        fc.uniqueArray(pair, { minLength: 1, maxLength: 4, selector: ([kind]) => kind }),
        fc.array(single, { maxLength: 3 }),
        (pairs, singles) => {
          const counts: Record<string, number> = {};
          const fields: [string, string, string][] = [];
          for (const [at, [kind, [reference, alternate], ofReference, ofAlternate]] of pairs.entries()) {
            fields.push([`ZR${at}`, '1', `Number of ${reference} ${kind}`]);
            fields.push([`ZV${at}`, '1', `Number of ${alternate} ${kind}`]);
            Object.assign(counts, { [`ZR${at}`]: ofReference, [`ZV${at}`]: ofAlternate });
          }
          for (const [at, [kind, number]] of singles.entries()) {
            fields.push([`ZS${at}`, '1', `All ${kind} that support the variant`]);
            counts[`ZS${at}`] = number;
          }
          const found = read(fields, counts);
          const sum = (side: 2 | 3): number => pairs.reduce((total, one) => total + one[side], 0);
          assert.deepEqual([found.reference, found.alternate], [sum(2), sum(3)]);
        },
      ),
    );
  });

  test('several single counts, perhaps of the same reads, support the allele without a number', () => {
    const fields: [string, string, string][] = kinds
      .slice(0, 2)
      .map((kind, at) => [`ZS${at}`, '1', `Number of ${kind} that support the variant`]);
    const found = read(fields, { ZS0: 3, ZS1: 4 });
    assert.deepEqual(found, { reference: undefined, alternate: undefined, isSupported: true });
  });
});
