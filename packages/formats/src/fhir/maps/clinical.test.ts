import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concept, mapped } from './mapped.fixture.ts';

const subject = { reference: 'Patient/p' };

test('a patient gives a patient and a demographic row', () => {
  const { rows, codings, unreadable } = mapped({
    resourceType: 'Patient',
    id: 'p',
    active: true,
    gender: 'female',
    birthDate: '1970-05',
    deceasedDateTime: '2020-01-02T03:04:05Z',
    maritalStatus: concept('M'),
    address: [
      { use: 'old', city: 'A' },
      { use: 'home', city: 'B', period: { end: '2000' } },
      { use: 'home', city: 'C', state: 'D', postalCode: 'E', country: 'F' },
    ],
    communication: [{ language: concept('de') }, { language: concept('fr'), preferred: true }],
    extension: [
      {
        url: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-race',
        extension: [
          { url: 'ombCategory', valueCoding: { code: '2106-3', display: 'White' } },
          { url: 'ombCategory', valueCoding: { code: '2028-9', display: 'Asian' } },
          { url: 'text', valueString: 'Mixed' },
        ],
      },
      {
        url: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-ethnicity',
        extension: [{ url: 'text', valueString: 'Unknown' }],
      },
    ],
    animal: { species: concept('dog') },
  });
  assert.deepEqual(rows['patient'], [{ patient_id: 'p', dob: '1970-05-01' }]);
  assert.deepEqual(rows['demographic'], [
    {
      patient_id: 'p',
      gender: 'female',
      birth_date: '1970-05-01',
      race: 'White; Asian',
      ethnicity: 'Unknown',
      marital_status: 'M',
      language: 'fr',
      city: 'C',
      state: 'D',
      postal_code: 'E',
      country: 'F',
      is_deceased: true,
      deceased_date: '2020-01-02',
      active: true,
    },
  ]);
  assert.deepEqual(codings, [
    'maritalStatus s|M M display',
    'communication.language s|de de display',
    'communication.language s|fr fr display',
    'extension.extension.valueCoding undefined|2106-3 White',
    'extension.extension.valueCoding undefined|2028-9 Asian',
    'animal.species s|dog dog display',
  ]);
  assert.deepEqual(unreadable, []);
});

const conditionRow = {
  patient_id: 'p',
  id: 'c',
  code: 'I10',
  system: 's',
  display: 'I10 display',
  text: 'I10 text',
  category: 'problem',
  clinical_status: 'active',
  verification_status: 'confirmed',
  severity: 'mild',
  body_site_code: 'arm',
  body_site_display: 'arm display',
  stage: 'II',
  onset_date: '2010-02-03',
  abatement_date: '2011-01-01',
  recorded_date: '2012-04-05',
  encounter_id: 'e',
};

test('a condition of R4 and one of STU3 give the same row', () => {
  const both = {
    resourceType: 'Condition',
    id: 'c',
    code: concept('I10'),
    category: [concept('problem')],
    severity: concept('mild'),
    bodySite: [concept('arm'), concept('leg')],
    onsetPeriod: { start: '2010-02-03' },
    abatementPeriod: { start: '2010-12', end: '2011' },
    subject,
  };
  const r4 = mapped({
    ...both,
    clinicalStatus: concept('active'),
    verificationStatus: concept('confirmed'),
    stage: [{ summary: concept('II') }],
    recordedDate: '2012-04-05T01:02:03Z',
    encounter: { reference: 'Encounter/e' },
  });
  const stu3 = mapped({
    ...both,
    clinicalStatus: 'active',
    verificationStatus: 'confirmed',
    stage: { summary: concept('II') },
    assertedDate: '2012-04-05',
    context: { reference: 'Encounter/e' },
  });
  assert.deepEqual(r4.rows, { condition: [conditionRow] });
  assert.deepEqual(stu3.rows, r4.rows);
  assert.deepEqual([r4.unreadable, stu3.unreadable], [[], []]);
  assert.ok(r4.codings.includes('bodySite s|leg leg display'));
});

test('the coding that a user selected is the primary one, else the first with a code', () => {
  const code = (...coding: object[]) =>
    mapped({ resourceType: 'Condition', id: 'c', code: { coding } as never });
  const selected = code({ code: 'a' }, { code: 'b', userSelected: true });
  assert.equal(selected.rows['condition']?.[0]?.['code'], 'b');
  assert.equal(selected.codings.length, 2);
  assert.equal(code({ display: 'x' }, { code: 'b' }).rows['condition']?.[0]?.['code'], 'b');
});

test('an episode of care is no encounter, and a group no patient', () => {
  const found = mapped({
    resourceType: 'Condition',
    id: 'c',
    subject: { reference: 'Group/g' },
    context: { reference: 'EpisodeOfCare/x' },
  });
  assert.deepEqual(found.rows, { condition: [{ id: 'c' }] });
  assert.equal(found.patientId, undefined);
  assert.deepEqual(found.unreadable, []);
});

test('a subject that identifies no resource is reported, a contained one is not', () => {
  const about = (reference: string) =>
    mapped({ resourceType: 'Condition', id: 'c', subject: { reference } }).unreadable;
  assert.deepEqual(about('Patient?identifier=1'), ['subject.reference: a reference by type and id']);
  assert.deepEqual(about('#p'), []);
});

test('a procedure of R4, of STU3 and of R5 give the same row', () => {
  const both = { resourceType: 'Procedure', id: 'x', code: concept('A'), subject, outcome: concept('ok') };
  const row = {
    patient_id: 'p',
    id: 'x',
    status: 'not-done',
    category: 'K',
    code: 'A',
    system: 's',
    display: 'A display',
    text: 'A text',
    performed_date: '2020-01-01',
    performed_end_date: '2020-01-02',
    body_site_code: 'arm',
    body_site_display: 'arm display',
    outcome: 'ok',
    reason_code: 'R',
    encounter_id: 'e',
  };
  const period = { start: '2020-01-01T23:00:00-05:00', end: '2020-01-02T01:00:00-05:00' };
  const place = { bodySite: [concept('arm')] };
  const r4 = mapped({
    ...both,
    ...place,
    status: 'not-done',
    category: concept('K'),
    performedPeriod: period,
    reasonCode: [concept('R')],
    encounter: { reference: 'Encounter/e' },
  });
  const stu3 = mapped({
    ...both,
    ...place,
    status: 'suspended',
    notDone: true,
    category: concept('K'),
    performedPeriod: period,
    reasonCode: [concept('R')],
    context: { reference: 'Encounter/e' },
  });
  const r5 = mapped({
    ...both,
    ...place,
    status: 'not-done',
    category: [concept('K')],
    occurrencePeriod: period,
    reason: [{ concept: concept('R') }],
    encounter: { reference: 'Encounter/e' },
  });
  for (const { rows } of [r4, stu3, r5]) assert.deepEqual(rows, { procedure: [row] });
});

test('media of R4 and of STU3 give the same row', () => {
  const both = {
    resourceType: 'Media',
    id: 'm',
    status: 'completed',
    subject,
    view: concept('PA'),
    bodySite: concept('chest'),
    height: 10,
    width: 20,
    frames: 1,
    content: {
      contentType: 'image/png',
      url: 'https://example.org/v1/files/01890A5D-AC96-774B-BCCE-B302099A8057?x=1',
      title: 'T',
      size: 99,
    },
  };
  const r4 = mapped({ ...both, type: concept('image'), modality: concept('DX'), createdDateTime: '2020-02' });
  const stu3 = mapped({ ...both, type: 'image', subtype: concept('DX'), occurrenceDateTime: '2020-02' });
  assert.deepEqual(r4.rows, {
    media: [
      {
        patient_id: 'p',
        id: 'm',
        status: 'completed',
        type: 'image',
        subtype: 'DX',
        view: 'PA',
        body_site_code: 'chest',
        content_type: 'image/png',
        url: both.content.url,
        title: 'T',
        size: 99,
        height: 10,
        width: 20,
        frames: 1,
        created_date: '2020-02-01',
        file_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      },
    ],
  });
  assert.deepEqual(stu3.rows, r4.rows);
});

test('specimens and sequences have rows and the names of samples', () => {
  const specimen = mapped({
    resourceType: 'Specimen',
    id: 'sp',
    status: 'available',
    identifier: [{ value: 'NA12878' }, { value: 'sp' }],
    accessionIdentifier: { value: 'acc' },
    type: concept('BLD'),
    parent: [{ reference: 'Specimen/parent' }],
    receivedTime: '2020-01-03',
    subject,
    collection: {
      collectedPeriod: { start: '2020-01-01' },
      bodySite: concept('arm'),
      method: concept('LNV'),
    },
  });
  assert.deepEqual(specimen.rows, {
    specimen: [
      {
        patient_id: 'p',
        id: 'sp',
        status: 'available',
        type_code: 'BLD',
        type_system: 's',
        type_display: 'BLD display',
        accession_identifier: 'acc',
        parent_id: 'parent',
        collected_date: '2020-01-01',
        received_date: '2020-01-03',
        body_site_code: 'arm',
        body_site_display: 'arm display',
        collection_method: 'LNV',
      },
    ],
  });
  assert.deepEqual(specimen.samples, ['sp sp', 'NA12878 sp', 'acc sp']);
  for (const resourceType of ['MolecularSequence', 'Sequence']) {
    const sequence = mapped({
      resourceType,
      id: 'seq',
      type: 'dna',
      coordinateSystem: 0,
      patient: { reference: 'Patient/p' },
      specimen: { reference: 'Specimen/sp' },
      identifier: [{ value: 'HG002' }],
    });
    const row = { patient_id: 'p', id: 'seq', specimen_id: 'sp', sequence_type: 'dna' };
    assert.deepEqual(sequence.rows, { sequence: [row] });
    assert.deepEqual(sequence.samples, ['seq sp', 'HG002 sp']);
  }
});
