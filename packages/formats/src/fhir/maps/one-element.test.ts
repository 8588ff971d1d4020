/** Columns that belong together come from one element of the resource. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { mapped } from './mapped.fixture.ts';

/** Columns of the first row of a table. */
function values(table: string, resource: JsonObject, ...columns: string[]): unknown[] {
  const row = mapped({ id: 'x', subject: { reference: 'Patient/p' }, ...resource }).rows[table]?.[0] ?? {};
  return columns.map((column) => row[column]);
}

describe('start and end are of one period', () => {
  const request = (fields: JsonObject) =>
    values('medication', { resourceType: 'MedicationRequest', ...fields }, 'start_date', 'end_date');
  const bounded = (boundsPeriod: JsonObject) => ({ timing: { repeat: { boundsPeriod } } });
  const validity = { validityPeriod: { start: '2019-01-01', end: '2019-02-01' } };

  test('a request has the bounds of its dosage, not the validity of the prescription', () => {
    const open = bounded({ start: '2020-01-01' });
    assert.deepEqual(request({ dosageInstruction: [open], dispenseRequest: validity }), [
      '2020-01-01',
      undefined,
    ]);
    const endOnly = bounded({ end: '2020-03' });
    assert.deepEqual(request({ dosageInstruction: [endOnly], dispenseRequest: validity }), [
      undefined,
      '2020-03-01',
    ]);
    for (const omitted of [bounded({}), bounded({ start: 'soon' }), { text: 'daily' }])
      assert.deepEqual(request({ dosageInstruction: [omitted], dispenseRequest: validity }), [
        undefined,
        undefined,
      ]);
  });

  test('steps of a taper begin with the first and end with the last; instructions side by side end when all do', () => {
    const step = (sequence: number | undefined, start?: string, end?: string) => ({
      ...(sequence !== undefined && { sequence }),
      ...bounded({ ...(start && { start }), ...(end && { end }) }),
    });
    const taken = (...dosageInstruction: JsonObject[]) => request({ dosageInstruction });
    const [one, two, three] = [
      step(1, '2024-01-01', '2024-01-07'),
      step(2, '2024-01-08', '2024-01-14'),
      step(3, '2024-01-15'),
    ];
    assert.deepEqual(taken(two, one), ['2024-01-01', '2024-01-14']);
    assert.deepEqual(taken(one, two, three), ['2024-01-01', undefined]);
    const [morning, evening] = [step(undefined, '2024-01-01', '2024-03-01'), step(undefined, '2024-01-03')];
    assert.deepEqual(taken(morning, evening), ['2024-01-01', undefined]);
    assert.deepEqual(taken(evening, step(undefined, '2024-01-05', '2024-02-01')), ['2024-01-03', undefined]);
    const r5 = { effectiveDosePeriod: { start: '2024-01-02', end: '2024-01-09' } };
    assert.deepEqual(request({ ...r5, dosageInstruction: [one] }), ['2024-01-02', '2024-01-09']);
  });

  test('a day beside a period does not begin it', () => {
    const [resourceType, effectiveDateTime] = ['MedicationStatement', '2018-01-01'];
    const both = { resourceType, effectiveDateTime, effectivePeriod: { end: '2020-01-02' } };
    assert.deepEqual(values('medication', both, 'start_date', 'end_date'), [undefined, '2020-01-02']);
    const procedure = {
      resourceType: 'Procedure',
      performedDateTime: '2018-01-01',
      occurrencePeriod: { start: '2020-01-01', end: '2020-01-05' },
    };
    assert.deepEqual(values('procedure', procedure, 'performed_date', 'performed_end_date'), [
      '2020-01-01',
      '2020-01-05',
    ]);
  });

  test('an unreadable end is reported with its path', () => {
    const { unreadable } = mapped({
      resourceType: 'Procedure',
      id: 'x',
      performedPeriod: { start: '2020-01-01', end: 'later' },
    });
    assert.deepEqual([...new Set(unreadable)], ['performedPeriod.end: a date']);
  });
});

test('the day of an observation is that of its time, and its unit that of its number', () => {
  const observation = (fields: JsonObject, ...columns: string[]) =>
    values('observation', { resourceType: 'Observation', ...fields }, ...columns);
  assert.deepEqual(
    observation(
      { effectiveDateTime: '2018-01-01', effectivePeriod: { start: '2020-01-01' } },
      'effective',
      'effective_date',
    ),
    ['2020-01-01/', '2020-01-01'],
  );
  const number = { valueQuantity: { value: 5 }, valueRange: { low: { value: 1, unit: 'mg' } } };
  assert.deepEqual(observation(number, 'value_quantity', 'value_unit'), [5, undefined]);
  const unit = { valueQuantity: { unit: 'mg' }, valueInteger: 3 };
  assert.deepEqual(observation(unit, 'value_quantity', 'value_unit'), [undefined, 'mg']);
});

describe('the first element of a list counts from which the column can be read', () => {
  test('a dose behind a rate, a stage behind an assessment, a reason behind a reference', () => {
    const dosage = (...doseAndRate: JsonObject[]) =>
      values(
        'dosage',
        { resourceType: 'MedicationRequest', dosageInstruction: [{ doseAndRate }] },
        ...['dose_value', 'dose_unit', 'rate_value', 'rate_unit'],
      );
    const rate = { rateQuantity: { value: 1, unit: 'mL/h' } };
    const dose = { doseQuantity: { value: 5, unit: 'mg' } };
    assert.deepEqual(dosage(rate, dose), [5, 'mg', 1, 'mL/h']);
    assert.deepEqual(dosage(dose, rate), [5, 'mg', 1, 'mL/h']);
    const typed = (code: string, of: JsonObject) => ({ ...of, type: { coding: [{ code }] } });
    assert.deepEqual(dosage(typed('calculated', dose), typed('ordered', rate)), [
      undefined,
      undefined,
      1,
      'mL/h',
    ]);
    assert.deepEqual(
      dosage(typed('calculated', dose), typed('ordered', { doseQuantity: { value: 9, unit: 'g' } })),
      [9, 'g', undefined, undefined],
    );
    // Number and unit are of one dose.
    assert.deepEqual(dosage({ doseQuantity: { unit: 'g' } }, dose).slice(0, 2), [5, 'mg']);
    assert.deepEqual(dosage({ doseQuantity: { value: 2 } }, dose).slice(0, 2), [2, undefined]);
    assert.deepEqual(dosage({ doseQuantity: { unit: 'g' } }).slice(0, 2), [undefined, 'g']);

    const stage = [{ assessment: [{ reference: 'Observation/o' }] }, { summary: { text: 'IV' } }];
    assert.deepEqual(values('condition', { resourceType: 'Condition', stage }, 'stage'), ['IV']);
    const reason = [{ reference: { reference: 'Condition/c' } }, { concept: { coding: [{ code: 'R' }] } }];
    for (const [table, resourceType] of [
      ['medication', 'MedicationRequest'],
      ['procedure', 'Procedure'],
    ] as const)
      assert.deepEqual(values(table, { resourceType, reason }, 'reason_code'), ['R']);
  });

  test('both ends of a reference range are of one range, code and display of one site', () => {
    const range = (...referenceRange: JsonObject[]) =>
      values(
        'observation',
        { resourceType: 'Observation', referenceRange },
        'reference_low',
        'reference_high',
      );
    const [low, high] = [{ low: { value: 3 } }, { high: { value: 5 } }];
    assert.deepEqual(range({ text: 'see report' }, { ...low, ...high }), [3, 5]);
    assert.deepEqual(range(low, high), [undefined, undefined]);
    assert.deepEqual(range(low, { text: 'for all', ...low }), [3, undefined]);
    assert.deepEqual(range({ low: { value: '3' } }, high), [undefined, 5]);
    const type = (code: string) => ({
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/referencerange-meaning', code }] },
    });
    const both = { ...low, ...high };
    // The range of a treatment is not the normal one.
    assert.deepEqual(range({ ...both, ...type('treatment') }, { low: { value: 4 }, ...type('normal') }), [
      4,
      undefined,
    ]);
    assert.deepEqual(range({ ...both, ...type('treatment') }), [undefined, undefined]);
    const ofMen = { ...both, appliesTo: [{ text: 'men' }] };
    assert.deepEqual(range(ofMen), [3, 5]);
    assert.deepEqual(range(ofMen, { low: { value: 2 }, appliesTo: [{ text: 'women' }] }), [
      undefined,
      undefined,
    ]);
    assert.deepEqual(range(ofMen, { low: { value: 2 } }), [2, undefined]);
    const inGrams = values(
      'observation',
      {
        resourceType: 'Observation',
        valueQuantity: { value: 5, unit: 'mg/dL' },
        referenceRange: [{ low: { value: 1, unit: 'g/L' } }, { low: { value: 3, code: 'mg/dl' } }],
      },
      'reference_low',
    );
    assert.deepEqual(inGrams, [3]);
    const sites = {
      resourceType: 'Condition',
      bodySite: [{ text: 'arm' }, { coding: [{ code: 'A' }] }, { coding: [{ display: 'Leg' }] }],
    };
    assert.deepEqual(values('condition', sites, 'body_site_code', 'body_site_display'), ['A', undefined]);
  });

  test('frequency and period are of one timing, time and day of one event', () => {
    const timing = [{ repeat: { frequency: 2 } }, { repeat: { period: 1, periodUnit: 'd' } }];
    const dosage = { resourceType: 'MedicationRequest', dosageInstruction: [{ timing }] };
    assert.deepEqual(values('dosage', dosage, 'frequency', 'period', 'period_unit'), [
      2,
      undefined,
      undefined,
    ]);
    const event = { resourceType: 'Observation', effectiveTiming: { event: ['soon', '2020-01-02'] } };
    assert.deepEqual(values('observation', event, 'effective', 'effective_date'), [
      '2020-01-02',
      '2020-01-02',
    ]);
  });

  test('unreadable elements before it are reported once, and lists in lists are not followed', () => {
    const { rows, unreadable } = mapped({
      resourceType: 'Condition',
      id: 'x',
      stage: [7, null, [{ summary: { text: 'I' } }], { summary: { text: 'IV' } }] as never,
    });
    assert.equal(rows['condition']?.[0]?.['stage'], 'IV');
    assert.deepEqual([...new Set(unreadable)], ['stage[0]: an object']);
  });
});

test('R5: the concept of a CodeableReference is read wherever R4 has the concept itself', () => {
  const arm = { coding: [{ code: 'arm', display: 'Arm' }] };
  const site = (bodySite: JsonObject) =>
    values(
      'specimen',
      { resourceType: 'Specimen', collection: { bodySite } },
      'body_site_code',
      'body_site_display',
    );
  assert.deepEqual(site({ concept: arm }), ['arm', 'Arm']);
  assert.deepEqual(site(arm), ['arm', 'Arm']);
  assert.deepEqual(site({ reference: { reference: 'BodyStructure/b' } }), [undefined, undefined]);
  for (const resourceType of [
    'MedicationRequest',
    'MedicationStatement',
    'MedicationAdministration',
    'MedicationDispense',
  ])
    assert.deepEqual(
      values('medication', { resourceType, medication: { concept: arm } }, 'code', 'display'),
      ['arm', 'Arm'],
    );
});
