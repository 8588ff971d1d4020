import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { concept, mapped } from './mapped.fixture.ts';

const subject = { reference: 'Patient/p' };
const aspirin = { code: 'aspirin', system: 's', display: 'aspirin display', text: 'aspirin text' };

test('a request has a medication row, and a dosage row for each instruction', () => {
  const { rows, codings } = mapped({
    resourceType: 'MedicationRequest',
    id: 'm',
    status: 'active',
    intent: 'order',
    category: [concept('community')],
    medicationCodeableConcept: concept('aspirin'),
    subject,
    encounter: { reference: 'Encounter/e' },
    authoredOn: '2020-01-01',
    reasonCode: [concept('pain')],
    // Until when the prescription may be filled.
    dispenseRequest: { validityPeriod: { start: '2019-01-02', end: '2021-03' } },
    dosageInstruction: [
      {
        text: 'one daily',
        timing: { repeat: { frequency: 1, period: 1.5, periodUnit: 'd' }, code: { text: 'daily' } },
        asNeededBoolean: false,
        route: concept('PO'),
        site: concept('mouth'),
        method: concept('swallow'),
        doseAndRate: [
          {
            doseQuantity: { value: 2, unit: 'tablet' },
            rateRatio: { numerator: { value: 5, unit: 'mL' }, denominator: { value: 2, unit: 'h' } },
          },
        ],
      },
      {
        timing: { code: concept('BID') },
        asNeededCodeableConcept: concept('pain'),
        patientInstruction: 'with food',
      },
    ],
  });
  assert.deepEqual(rows['medication'], [
    {
      patient_id: 'p',
      id: 'm',
      resource_type: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      category: 'community',
      ...aspirin,
      authored_date: '2020-01-01',
      reason_code: 'pain',
      encounter_id: 'e',
    },
  ]);
  assert.deepEqual(rows['dosage'], [
    {
      patient_id: 'p',
      medication_id: 'm',
      dosage_index: 0,
      text: 'one daily',
      timing_text: 'daily',
      frequency: 1,
      period: 1.5,
      period_unit: 'd',
      as_needed: false,
      route_code: 'PO',
      route_display: 'PO display',
      site_code: 'mouth',
      method_code: 'swallow',
      dose_value: 2,
      dose_unit: 'tablet',
      rate_value: 2.5,
      rate_unit: 'mL/h',
    },
    {
      patient_id: 'p',
      medication_id: 'm',
      dosage_index: 1,
      text: 'with food',
      timing_text: 'BID text',
      as_needed: true,
    },
  ]);
  assert.ok(codings.includes('medicationCodeableConcept s|aspirin aspirin display'));
  assert.ok(codings.includes('dosageInstruction.route s|PO PO display'));
});

const only = (resource: JsonObject) => {
  const { rows } = mapped({ id: 'm', subject, medicationCodeableConcept: concept('aspirin'), ...resource });
  const { patient_id, id, code, system, display, text, ...medication } = rows['medication']?.[0] ?? {};
  return { medication, dosage: rows['dosage']?.[0] };
};

test('statements, administrations and dispenses name their times in their own way', () => {
  const resourceType = 'MedicationStatement';
  assert.deepEqual(
    only({
      resourceType,
      status: 'active',
      effectivePeriod: { start: '2020', end: '2021' },
      dateAsserted: '2019',
    }).medication,
    {
      resource_type: resourceType,
      status: 'active',
      start_date: '2020-01-01',
      end_date: '2021-01-01',
      authored_date: '2019-01-01',
    },
  );
  const given = only({
    resourceType: 'MedicationAdministration',
    effectiveDateTime: '2020-05-06',
    context: { reference: 'Encounter/e' },
    dosage: { text: 'iv', dose: { value: 3, code: 'mg' }, rateQuantity: { value: 7, unit: 'mL/h' } },
  });
  assert.deepEqual(given.medication, {
    resource_type: 'MedicationAdministration',
    start_date: '2020-05-06',
    encounter_id: 'e',
  });
  assert.deepEqual(given.dosage, {
    patient_id: 'p',
    medication_id: 'm',
    dosage_index: 0,
    text: 'iv',
    dose_value: 3,
    dose_unit: 'mg',
    rate_value: 7,
    rate_unit: 'mL/h',
  });
  assert.deepEqual(
    only({ resourceType: 'MedicationDispense', whenPrepared: '2020-01-01', whenHandedOver: '2020-01-02' })
      .medication,
    { resource_type: 'MedicationDispense', start_date: '2020-01-02', authored_date: '2020-01-01' },
  );
});

test('STU3 keeps doses in the dosage itself, and has other fields for medication that was not given', () => {
  const stu3 = only({
    resourceType: 'MedicationStatement',
    status: 'active',
    taken: 'n',
    dosage: [{ doseQuantity: { value: 1, unit: 'mg' }, rateRange: { low: { value: 4 } } }],
  });
  assert.equal(stu3.medication['status'], 'not-taken');
  assert.equal(stu3.dosage?.['dose_value'], 1);
  assert.equal(stu3.dosage?.['rate_value'], 4);
  const given = only({ resourceType: 'MedicationAdministration', status: 'completed', notGiven: true });
  assert.equal(given.medication['status'], 'not-done');
});

test('a contained Medication names the substance; another is referred to', () => {
  const request = { resourceType: 'MedicationRequest', id: 'm', subject };
  const contained = mapped({
    ...request,
    contained: [{ resourceType: 'Medication', id: 'x', code: concept('aspirin') }],
    medicationReference: { reference: '#x' },
  });
  const { code, system, display, text } = contained.rows['medication']?.[0] ?? {};
  assert.deepEqual({ code, system, display, text }, aspirin);
  assert.deepEqual(contained.codings, ['contained.code s|aspirin aspirin display']);
  assert.equal(contained.medicationOf, undefined);
  const referring = mapped({ ...request, medicationReference: { reference: 'Medication/x' } });
  assert.equal(referring.medicationOf, 'x');
  const r5 = mapped({
    ...request,
    medication: { concept: concept('aspirin') },
    reason: [{ concept: concept('pain') }],
  });
  assert.equal(r5.rows['medication']?.[0]?.['code'], 'aspirin');
  assert.equal(r5.rows['medication']?.[0]?.['reason_code'], 'pain');
});

test('the display of a reference is the text of a medication without its own', () => {
  const shown = (fields: JsonObject) => {
    const { rows } = mapped({ resourceType: 'MedicationRequest', id: 'm', subject, ...fields });
    const { code, display, text } = rows['medication']?.[0] ?? {};
    return [code, display, text];
  };
  const reference = { reference: 'Medication/x', display: 'Aspirin 81 mg' };
  const identifier = { identifier: { value: '1' }, display: 'Aspirin 81 mg' };
  for (const one of [reference, identifier]) {
    assert.deepEqual(shown({ medicationReference: one }), [undefined, undefined, 'Aspirin 81 mg']);
    assert.deepEqual(shown({ medication: { reference: one } }), [undefined, undefined, 'Aspirin 81 mg']);
  }
  const contained = [{ resourceType: 'Medication', id: 'x', code: concept('aspirin') }];
  const inside = { contained, medicationReference: { reference: '#x', display: 'Other' } };
  assert.deepEqual(shown(inside), ['aspirin', 'aspirin display', 'aspirin text']);
});

test('a dispense of STU3 with a reason why it was not done was not done', () => {
  for (const reason of [
    { notDoneCodeableConcept: concept('q') },
    { notDoneReference: { reference: 'DetectedIssue/d' } },
  ]) {
    const dispense = { resourceType: 'MedicationDispense', id: 'm', status: 'completed', subject };
    assert.equal(mapped({ ...dispense, ...reason }).rows['medication']?.[0]?.['status'], 'not-done');
  }
});
