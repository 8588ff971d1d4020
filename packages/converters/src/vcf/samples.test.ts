import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedTable } from '@ploidy/formats';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const one = vcf(['1 5 . A C . . . GT 0/1'], { samples: ['NA1'] });
const two = vcf(['1 5 . A C . . . GT 0/1 1/1'], { samples: ['NA1', "N'A2"] });
const none = vcf(['1 5 . A C,G . . .']);
const columns = ['patient_id', 'id', 'specimen_id', 'test_type', 'sequence_type'];

describe('samples', () => {
  test('the tables have the columns of the catalogue, in order, with their types', async () => {
    const { variants, sequences } = await convertText(one);
    assert.deepEqual(
      Object.keys(variants[0] ?? {}),
      storedTable('variant').columns.map(({ name }) => name),
    );
    assert.deepEqual(
      Object.keys(sequences[0] ?? {}),
      storedTable('sequence').columns.map(({ name }) => name),
    );
    assert.equal(typeof variants[0]?.['position'], 'bigint');
  });

  test('the only sample is linked to the patient of the request, and takes its name', async () => {
    const options = {
      sampleId: 'S',
      patientId: 'P',
      specimenId: 'X',
      testType: 'wes',
      sequenceType: 'germline',
    };
    const { variants, sequences } = await convertText(one, options);
    assert.deepEqual(pick(sequences, ...columns), ['P S X wes germline']);
    assert.deepEqual(pick(variants, 'sample_id', 'variant_set_id'), ['S set']);
  });

  test('several samples are linked one by one, by their name in the file', async () => {
    const samples = [
      { sampleId: "N'A2", patientId: 'P2', specimenId: 'X2' },
      { sampleId: 'other', patientId: 'P3' },
    ];
    const { sequences, warnings } = await convertText(two, { samples });
    assert.deepEqual(pick(sequences, ...columns).toSorted(), ["P2 N'A2 X2 - -", '- NA1 - - -'].toSorted());
    assert.equal(warnings.length, 1);
  });

  test('a sample that the request renames is still found by its name in the file', async () => {
    const { sequences } = await convertText(one, {
      sampleId: 'S',
      samples: [{ sampleId: 'NA1', patientId: 'P' }],
    });
    assert.deepEqual(pick(sequences, 'patient_id', 'id'), ['P S']);
  });

  test('one patient or one name for several samples is refused', async () => {
    await assert.rejects(convertText(two, { patientId: 'P' }), { name: 'InputError', message: /has 2/ });
    await assert.rejects(convertText(two, { specimenId: 'X' }), { name: 'InputError' });
    await assert.rejects(convertText(two, { sampleId: 'S' }), { name: 'InputError', message: /has 2/ });
    const twice = { sampleId: 'NA1', patientId: 'P' };
    await assert.rejects(convertText(two, { samples: [twice, twice] }), {
      name: 'InputError',
      message: /twice/,
    });
  });

  test('a file without samples has rows without one, unless the request names it', async () => {
    const unnamed = await convertText(none);
    assert.deepEqual(pick(unnamed.variants, 'sample_id', 'alternate', 'genotype').toSorted(), [
      '- C -',
      '- G -',
    ]);
    assert.equal(unnamed.sequences.length, 0);
    const named = await convertText(none, { sampleId: 'S', patientId: 'P' });
    assert.deepEqual(pick(named.variants, 'sample_id'), ['S', 'S']);
    assert.deepEqual(pick(named.sequences, 'patient_id', 'id'), ['P S']);
    await assert.rejects(convertText(none, { patientId: 'P' }), { name: 'InputError', message: /sampleId/ });
  });

  test('samples without a #CHROM line are numbered', async () => {
    const { variants } = await convertText('1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\t1|1\n');
    assert.deepEqual(pick(variants, 'sample_id', 'genotype').toSorted(), ['sample1 0/1', 'sample3 1|1']);
  });

  test('progress ends with the whole file and all rows', async () => {
    const { progress } = await convertText(two);
    assert.deepEqual(progress.at(-1), [two.length, 2]);
  });
});
