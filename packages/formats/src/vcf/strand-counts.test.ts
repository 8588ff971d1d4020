import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldDefinition } from './header.ts';
import { strandKeys, strandReads } from './strand-counts.ts';

type Field = readonly [id: string, number: string, description: string];

/** Reads the first alternate of a sample by a header of `[id, number, description]`. */
function read(fields: readonly Field[], counts: Record<string, readonly number[]>, alternateCount = 1) {
  const format = new Map(
    fields.map(([id, number, description]): [string, FieldDefinition] => [
      id,
      { id, number, type: 'Integer', description },
    ]),
  );
  return strandReads(strandKeys(format), (key) => counts[key] ?? [], alternateCount, 1);
}

const strands = fc.constantFrom(
  ['forward', 'reverse'],
  ['fwd', 'rev'],
  ['plus', 'minus'],
  ['positive', 'negative'],
);
const names = fc.uniqueArray(fc.stringMatching(/^[A-Z]{3,5}$/), { minLength: 2, maxLength: 2 });
const ofAlleles = fc.constantFrom('Allelic depths on the * strand', 'Number of * reads for each allele');
const depths = fc.array(fc.nat(500), { minLength: 2, maxLength: 5 });

test('the lists of both strands, whatever their names, sum to the reads; one of them alone is a part', () => {
  fc.assert(
    fc.property(strands, names, ofAlleles, depths, depths, (words, keys, text, first, second) => {
      const size = Math.min(first.length, second.length);
      const [forward, reverse] = [first.slice(0, size), second.slice(0, size)];
      const fields = keys.map((key, at): Field => [key, 'R', text.replace('*', words[at] ?? '')]);
      const counts = { [keys[0] ?? '']: forward, [keys[1] ?? '']: reverse };
      const sums = forward.map((count, at) => count + (reverse[at] ?? 0));
      assert.deepEqual(read(fields, counts, size - 1), {
        reference: sums[0],
        alternate: sums[1],
        total: sums.reduce((sum, one) => sum + one, 0),
        isPartial: false,
      });
      const half = read(fields.slice(0, 1), counts, size - 1);
      assert.deepEqual([half?.alternate, half?.isPartial], [forward[1], true]);
    }),
  );
});

test('single counts of each strand and allele, as of VarScan, are those of one alternate', () => {
  const fields = (['reference', 'variant'] as const).flatMap((allele, at) =>
    ['forward', 'reverse'].map(
      (strand): Field => [
        `${at === 0 ? 'RD' : 'AD'}${strand[0]?.toUpperCase()}`,
        '1',
        `Depth of ${allele}-supporting bases on ${strand} strand (reads${at + 1}${strand === 'forward' ? 'plus' : 'minus'})`,
      ],
    ),
  );
  const counts = { RDF: [12], RDR: [8], ADF: [3], ADR: [2] };
  assert.deepEqual(read(fields, counts), { reference: 20, alternate: 5, total: 25, isPartial: false });
});

test('a key with both strands has two values for an allele', () => {
  const ofAll: Field = [
    'SAC',
    '.',
    'Reads on the forward and reverse strand supporting each allele including reference',
  ];
  assert.equal(read([ofAll], { SAC: [5, 6, 7, 8] })?.alternate, 15);
  const vardict: Field[] = [
    ['RD', '2', 'Reference forward, reverse reads'],
    ['ALD', '2', 'Variant forward, reverse reads'],
  ];
  assert.equal(read(vardict, { RD: [5, 6], ALD: [7, 8] })?.alternate, 15);
  assert.equal(read([], { SB: [5, 6, 0, 0] })?.alternate, 0);
});

test('tests of a bias, and lists of another length, count no reads', () => {
  assert.equal(read([['SB', '1', 'Phred-scaled strand bias']], { SB: [60] }), undefined);
  assert.equal(read([['FS', '1', 'Forward strand bias p-value']], { FS: [0] }), undefined);
  assert.equal(read([['ADF', 'R', 'Allelic depths on the forward strand']], { ADF: [9] }), undefined);
});
