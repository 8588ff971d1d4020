import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeForms, codonOf, regionOf, shortChange, variantLeaf } from './variant-test.ts';

test('a change of a protein is found in each notation that a source may use', () => {
  for (const typed of ['V600E', 'p.V600E', 'p.Val600Glu', 'Val600Glu', 'NP_004324.2:p.(Val600Glu)'])
    assert.deepEqual(changeForms(typed).slice(0, 4), ['p.V600E', 'p.Val600Glu', 'V600E', 'Val600Glu'], typed);
  assert.ok(changeForms('R213*').includes('p.Arg213Ter'));
  assert.ok(changeForms('Gly643Gly').includes('p.G643G'));
  assert.ok(changeForms('Arg453fs').includes('p.R453fs'));
  assert.equal(shortChange('p.Glu746_Ala750del'), 'E746_A750del');
});

test('a codon is a residue without a change', () => {
  assert.deepEqual(['V600', 'p.Val600', '600', 'V600E', 'x'].map(codonOf), [
    600,
    600,
    600,
    undefined,
    undefined,
  ]);
  assert.deepEqual(variantLeaf({ gene: 'BRAF', protein: 'V600' }), {
    alteration: { genes: ['BRAF'], kinds: ['mutation'], proteinPositions: { from: 600, to: 600 } },
  });
});

test('a place is one base or a range of them', () => {
  assert.deepEqual(regionOf('chr7:140,753,336'), { chromosome: '7', from: 140753336, to: 140753336 });
  assert.deepEqual(regionOf('X:10-20'), { chromosome: 'X', from: 10, to: 20 });
  assert.equal(regionOf('BRAF'), undefined);
  assert.throws(() => variantLeaf({ region: 'BRAF' }), /place/);
});

test('fields of one test hold for the same row, and fields of two tables are refused', () => {
  assert.deepEqual(variantLeaf({ rsId: 'rs113488022', frequencyMax: 0.01 }), {
    where: {
      variant: {
        rs_id: [{ operator: 'in', value: ['rs113488022'] }],
        population_allele_frequency: [{ operator: 'lte', value: 0.01 }],
      },
    },
  });
  assert.throws(() => variantLeaf({ gene: 'BRAF', depthMin: 20 }), /leave the other fields empty/);
  assert.throws(() => variantLeaf({ rsId: 'rs1', fractionMin: 0.1 }), /leave these empty/);
  assert.throws(() => variantLeaf({ protein: 'V600', frequencyMax: 0.1 }), /codon/);
});

test('an empty form is no condition', () => {
  assert.equal(variantLeaf({ kind: 'mutation', gene: '', classes: [] }), undefined);
});
