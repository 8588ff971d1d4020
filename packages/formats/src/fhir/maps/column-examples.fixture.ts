import type { JsonObject } from '../index.ts';
import { concept } from './mapped.fixture.ts';

/**
 * Column with its value, the fields of R4 that fill it, and those of STU3 where they differ. `null`: that version has no such
 * field.
 */
type Case = [value: string | number | boolean, r4: JsonObject, stu3?: JsonObject | null];

export interface Element {
  table: string;
  r4: string;
  /** Name of the type in STU3, where it differs. */
  stu3?: string;
  /** Columns that every row has. */
  always?: JsonObject;
  columns: Record<string, Case>;
}

export const coded = (field: string): Record<'code' | 'system' | 'display' | 'text', Case> => ({
  code: ['C', { [field]: { coding: [{ code: 'C' }] } }],
  system: ['urn:s', { [field]: { coding: [{ system: 'urn:s' }] } }],
  display: ['Shown', { [field]: { coding: [{ display: 'Shown' }] } }],
  text: ['said', { [field]: { text: 'said' } }],
});
export const plain = (code: string) => ({ coding: [{ code }] });
export const shown = (display: string) => ({ coding: [{ display }] });
const encounter: Case = [
  'e',
  { encounter: { reference: 'http://x.org/fhir/Encounter/e/_history/2' } },
  { context: { reference: 'Encounter/e' } },
];
const context: Case = ['e', { context: { reference: 'Encounter/e' } }];
const usCore = (name: string, display: string): JsonObject => ({
  extension: [
    {
      url: `http://hl7.org/fhir/us/core/StructureDefinition/us-core-${name}`,
      extension: [{ url: 'ombCategory', valueCoding: { display } }],
    },
  ],
});
const older = (name: string, display: string): JsonObject => ({
  extension: [
    {
      url: `http://hl7.org/fhir/StructureDefinition/us-core-${name}`,
      valueCodeableConcept: shown(display),
    },
  ],
});
const communication = (code: string) => ({ communication: [{ language: plain(code) }] });

const medication = (type: string, more: Record<string, Case>): Element => ({
  table: 'medication',
  r4: type,
  always: { resource_type: type },
  columns: {
    ...coded('medicationCodeableConcept'),
    ...more,
  },
});

export const elements: Element[] = [
  { table: 'patient', r4: 'Patient', columns: { dob: ['1970-05-01', { birthDate: '1970-05' }] } },
  {
    table: 'demographic',
    r4: 'Patient',
    columns: {
      gender: ['other', { gender: 'other' }],
      birth_date: ['1970-01-01', { birthDate: '1970' }],
      race: ['Asian', usCore('race', 'Asian'), older('race', 'Asian')],
      ethnicity: ['Hispanic', usCore('ethnicity', 'Hispanic'), older('ethnicity', 'Hispanic')],
      marital_status: ['M', { maritalStatus: plain('M') }],
      language: ['de', communication('de')],
      city: ['Ulm', { address: [{ city: 'Ulm' }] }],
      state: ['BW', { address: [{ state: 'BW' }] }],
      postal_code: ['89073', { address: [{ postalCode: '89073' }] }],
      country: ['DE', { address: [{ country: 'DE' }] }],
      is_deceased: [false, { deceasedBoolean: false }],
      deceased_date: ['2020-02-29', { deceasedDateTime: '2020-02-29T23:59:59-11:00' }],
      active: [true, { active: true }],
    },
  },
  {
    table: 'condition',
    r4: 'Condition',
    columns: {
      ...coded('code'),
      category: ['problem-list-item', { category: [plain('problem-list-item')] }],
      clinical_status: ['active', { clinicalStatus: plain('active') }, { clinicalStatus: 'active' }],
      verification_status: [
        'confirmed',
        { verificationStatus: plain('confirmed') },
        { verificationStatus: 'confirmed' },
      ],
      severity: ['severe', { severity: plain('severe') }],
      body_site_code: ['arm', { bodySite: [plain('arm')] }],
      body_site_display: ['Arm', { bodySite: [shown('Arm')] }],
      stage: ['II', { stage: [{ summary: plain('II') }] }, { stage: { summary: plain('II') } }],
      onset_date: ['2010-02-03', { onsetDateTime: '2010-02-03' }, { onsetPeriod: { start: '2010-02-03' } }],
      abatement_date: [
        '2011-01-01',
        { abatementPeriod: { start: '2010', end: '2011' } },
        { abatementDateTime: '2011' },
      ],
      recorded_date: ['2012-04-05', { recordedDate: '2012-04-05T01:02:03Z' }, { assertedDate: '2012-04-05' }],
      encounter_id: encounter,
    },
  },
  {
    table: 'observation',
    r4: 'Observation',
    columns: {
      ...coded('code'),
      status: ['final', { status: 'final' }],
      category: ['laboratory', { category: [plain('laboratory')] }],
      effective: [
        '2020-01-01T10:00:00.5+01:00/',
        { effectivePeriod: { start: '2020-01-01T10:00:00.5+01:00' } },
      ],
      effective_date: ['2020-01-02', { effectiveDateTime: '2020-01-02T01:00:00+14:00' }],
      issued: ['2020-01-03T00:00:00Z', { issued: '2020-01-03T00:00:00Z' }],
      value_quantity: [3, { valueInteger: 3 }, { valueQuantity: { value: 3 } }],
      value_unit: ['mg', { valueQuantity: { unit: 'mg' } }],
      value_comparator: ['<', { valueQuantity: { comparator: '<' } }],
      value_string: ['10:00:00', { valueTime: '10:00:00' }, { valueString: '10:00:00' }],
      value_codeable_concept_code: ['A', { valueCodeableConcept: plain('A') }],
      value_codeable_concept_system: ['urn:s', { valueCodeableConcept: { coding: [{ system: 'urn:s' }] } }],
      value_codeable_concept_display: ['Shown', { valueCodeableConcept: shown('Shown') }],
      value_boolean: [false, { valueBoolean: false }],
      value_date: ['2020-03-01', { valueDateTime: '2020-03' }, { valuePeriod: { start: '2020-03' } }],
      interpretation: ['H', { interpretation: [plain('H')] }, { interpretation: plain('H') }],
      reference_low: [0.5, { referenceRange: [{ low: { value: 0.5 } }] }],
      reference_high: [0, { referenceRange: [{ high: { value: 0 } }] }],
      body_site_code: ['arm', { bodySite: plain('arm') }],
      specimen_id: ['sp', { specimen: { reference: 'Specimen/sp' } }],
      encounter_id: encounter,
    },
  },
  medication('MedicationRequest', {
    status: ['active', { status: 'active' }],
    intent: ['order', { intent: 'order' }],
    category: ['inpatient', { category: [plain('inpatient')] }, { category: plain('inpatient') }],
    start_date: [
      '2020-01-02',
      { dosageInstruction: [{ timing: { repeat: { boundsPeriod: { start: '2020-01-02' } } } }] },
    ],
    end_date: [
      '2020-02-01',
      { dosageInstruction: [{ timing: { repeat: { boundsPeriod: { end: '2020-02' } } } }] },
    ],
    authored_date: ['2020-01-01', { authoredOn: '2020-01-01' }],
    reason_code: ['pain', { reasonCode: [plain('pain')] }],
    encounter_id: encounter,
  }),
  medication('MedicationStatement', {
    status: ['not-taken', { status: 'not-taken' }, { status: 'active', taken: 'n' }],
    category: ['outpatient', { category: plain('outpatient') }],
    start_date: ['2020-01-01', { effectiveDateTime: '2020' }],
    end_date: ['2021-01-01', { effectivePeriod: { end: '2021' } }],
    authored_date: ['2019-01-01', { dateAsserted: '2019' }],
    reason_code: ['pain', { reasonCode: [plain('pain')] }],
    encounter_id: context,
  }),
  medication('MedicationAdministration', {
    status: ['not-done', { status: 'not-done' }, { status: 'completed', notGiven: true }],
    category: ['inpatient', { category: plain('inpatient') }],
    start_date: ['2020-05-06', { effectivePeriod: { start: '2020-05-06' } }],
    end_date: ['2020-05-07', { effectivePeriod: { end: '2020-05-07' } }],
    reason_code: ['pain', { reasonCode: [plain('pain')] }],
    encounter_id: context,
  }),
  medication('MedicationDispense', {
    status: ['not-done', { status: 'not-done' }, { status: 'stopped', notDone: true }],
    category: ['inpatient', { category: plain('inpatient') }],
    start_date: ['2020-01-02', { whenHandedOver: '2020-01-02' }],
    encounter_id: context,
  }),
  {
    table: 'procedure',
    r4: 'Procedure',
    columns: {
      ...coded('code'),
      status: ['not-done', { status: 'not-done' }, { status: 'suspended', notDone: true }],
      category: ['surgery', { category: plain('surgery') }],
      performed_date: ['2020-01-01', { performedDateTime: '2020-01-01T23:00:00-05:00' }],
      performed_end_date: ['2020-01-02', { performedPeriod: { end: '2020-01-02' } }],
      body_site_code: ['arm', { bodySite: [plain('arm')] }],
      body_site_display: ['Arm', { bodySite: [shown('Arm')] }],
      outcome: ['ok', { outcome: plain('ok') }],
      reason_code: ['R', { reasonCode: [plain('R')] }],
      encounter_id: encounter,
    },
  },
  {
    table: 'specimen',
    r4: 'Specimen',
    columns: {
      status: ['available', { status: 'available' }],
      type_code: ['BLD', { type: plain('BLD') }],
      type_system: ['urn:s', { type: { coding: [{ system: 'urn:s' }] } }],
      type_display: ['Blood', { type: shown('Blood') }],
      accession_identifier: ['acc', { accessionIdentifier: { value: 'acc' } }],
      parent_id: ['p1', { parent: [{ reference: 'Specimen/p1' }, { reference: 'Specimen/p2' }] }],
      collected_date: [
        '2020-01-01',
        { collection: { collectedPeriod: { start: '2020-01-01' } } },
        { collection: { collectedDateTime: '2020-01-01' } },
      ],
      received_date: ['2020-01-03', { receivedTime: '2020-01-03T10:00:00Z' }],
      body_site_code: ['arm', { collection: { bodySite: plain('arm') } }],
      body_site_display: ['Arm', { collection: { bodySite: shown('Arm') } }],
      collection_method: ['LNV', { collection: { method: plain('LNV') } }],
    },
  },
  {
    table: 'media',
    r4: 'Media',
    columns: {
      status: ['completed', { status: 'completed' }, null],
      type: ['image', { type: plain('image') }, { type: 'image' }],
      subtype: ['DX', { modality: plain('DX') }, { subtype: plain('DX') }],
      view: ['PA', { view: plain('PA') }],
      body_site_code: ['chest', { bodySite: plain('chest') }],
      content_type: ['image/png', { content: { contentType: 'image/png' } }],
      url: ['http://x.org/a.png', { content: { url: 'http://x.org/a.png' } }],
      title: ['T', { content: { title: 'T' } }],
      size: [99, { content: { size: 99 } }],
      height: [10, { height: 10 }],
      width: [20, { width: 20 }],
      frames: [1, { frames: 1 }],
      created_date: [
        '2020-02-01',
        { createdPeriod: { start: '2020-02' } },
        { occurrenceDateTime: '2020-02' },
      ],
    },
  },
  {
    table: 'sequence',
    r4: 'MolecularSequence',
    stu3: 'Sequence',
    columns: {
      specimen_id: ['sp', { specimen: { reference: 'Specimen/sp' } }],
      sequence_type: ['dna', { type: 'dna' }],
    },
  },
];

/** Dosages: R4 Dosage, STU3 Dosage, and that of a MedicationAdministration. */
export const doses: Record<string, [value: string | number | boolean, ...fields: JsonObject[]]> = {
  text: ['daily', { text: 'daily' }, { patientInstruction: 'daily' }],
  timing_text: ['BID', { timing: { code: plain('BID') } }, { timing: { code: { text: 'BID' } } }],
  frequency: [2, { timing: { repeat: { frequency: 2 } } }],
  period: [1.5, { timing: { repeat: { period: 1.5 } } }],
  period_unit: ['d', { timing: { repeat: { periodUnit: 'd' } } }],
  as_needed: [true, { asNeededBoolean: true }, { asNeededCodeableConcept: concept('pain') }],
  route_code: ['PO', { route: plain('PO') }],
  route_display: ['Oral', { route: shown('Oral') }],
  site_code: ['arm', { site: plain('arm') }],
  method_code: ['push', { method: plain('push') }],
  dose_value: [
    2.5,
    { doseAndRate: [{ doseQuantity: { value: 2.5 } }] },
    { doseAndRate: [{ doseRange: { low: { value: 2.5 } } }] },
    { doseQuantity: { value: 2.5 } },
    { doseRange: { low: { value: 2.5 } } },
    { dose: { value: 2.5 } },
  ],
  dose_unit: ['mg', { doseAndRate: [{ doseQuantity: { unit: 'mg' } }] }, { dose: { code: 'mg' } }],
  rate_value: [
    2.5,
    { doseAndRate: [{ rateQuantity: { value: 2.5 } }] },
    { doseAndRate: [{ rateRange: { low: { value: 2.5 } } }] },
    { doseAndRate: [{ rateRatio: { numerator: { value: 5 }, denominator: { value: 2 } } }] },
    { rateQuantity: { value: 2.5 } },
    { rateRatio: { numerator: { value: 2.5 } } },
  ],
  rate_unit: [
    'mL/h',
    { rateQuantity: { unit: 'mL/h' } },
    { doseAndRate: [{ rateRatio: { numerator: { unit: 'mL' }, denominator: { unit: 'h' } } }] },
  ],
};
