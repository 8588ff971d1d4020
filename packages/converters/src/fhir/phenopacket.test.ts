import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const metaData = {
  created: '2026-01-01T00:00:00Z',
  phenopacketSchemaVersion: '2.0',
  resources: [{ id: 'lab', namespacePrefix: 'LAB', url: 'http://lab.example/codes' }],
};
const term = (id: string, label: string) => ({ id, label });
const packet = {
  id: 'P-1',
  subject: {
    id: 'kin 1',
    sex: 'FEMALE',
    dateOfBirth: '1990-05-17T00:00:00Z',
    vitalStatus: { status: 'DECEASED', timeOfDeath: { timestamp: '2020-01-02T00:00:00Z' } },
    karyotypicSex: 'XX',
  },
  phenotypicFeatures: [
    { type: term('HP:0001250', 'Seizure'), onset: { age: { iso8601duration: 'P3Y' } } },
    { type: term('HP:0000252', 'Microcephaly'), excluded: true },
  ],
  diseases: [
    { term: term('OMIM:101600', 'Pfeiffer syndrome'), onset: { timestamp: '1995-02-03T00:00:00Z' } },
  ],
  measurements: [
    {
      assay: term('LOINC:718-7', 'Hemoglobin'),
      value: {
        quantity: {
          unit: term('UCUM:g/dL', 'g/dL'),
          value: 12.5,
          referenceRange: { unit: term('UCUM:g/dL', 'g/dL'), low: 12, high: 16 },
        },
      },
      timeObserved: { timestamp: '2010-01-01T00:00:00Z' },
    },
    { assay: term('LAB:7', 'Colour'), value: { ontologyClass: term('LAB:red', 'Red') } },
  ],
  biosamples: [{ id: 'SAMPLE7', individualId: 'kin 1', sampleType: term('LAB:B', 'Blood') }],
  medicalActions: [
    { procedure: { code: term('SNOMEDCT:80146002', 'Appendectomy') } },
    {
      treatment: {
        agent: term('RXNORM:860975', 'Metformin'),
        doseIntervals: [
          {
            interval: { start: '2012-03-02T00:00:00Z', end: '2012-04-02T00:00:00Z' },
            quantity: { value: 1 },
          },
          { interval: { start: '2012-01-02T00:00:00Z', end: '2012-03-02T00:00:00Z' } },
        ],
      },
    },
    { radiationTherapy: { dosage: 2 } },
  ],
  interpretations: [
    {
      id: 'i',
      progressStatus: 'SOLVED',
      diagnosis: { disease: term('OMIM:184900', 'Stiff skin'), genes: [] },
    },
    { id: 'j', progressStatus: 'UNSOLVED', diagnosis: { disease: term('OMIM:1', 'Other') } },
  ],
  metaData,
};

test('a phenopacket becomes rows of the clinical tables, and names what was left out', async () => {
  const { rows, warnings } = await fixture.convert(JSON.stringify(packet, undefined, 2));
  const [patient] = rows('demographic');
  assert.deepEqual(
    [patient?.['patient_id'], patient?.['gender'], patient?.['birth_date'], patient?.['deceased_date']],
    ['kin_1', 'female', '1990-05-17', '2020-01-02'],
  );
  assert.deepEqual(
    rows('condition')
      .map(({ id, code, system, verification_status: status, onset_date: onset }) => [
        ...[id, code, system, status, onset],
      ])
      .sort(),
    [
      ['P-1.diagnosis0', '184900', 'https://www.omim.org', 'confirmed', null],
      ['P-1.disease0', '101600', 'https://www.omim.org', 'confirmed', '1995-02-03'],
      ['P-1.feature0', 'HP:0001250', 'http://human-phenotype-ontology.org', 'confirmed', null],
      ['P-1.feature1', 'HP:0000252', 'http://human-phenotype-ontology.org', 'refuted', null],
    ],
  );
  assert.deepEqual(
    rows('observation')
      .map((row) => [
        ...[row['code'], row['system'], row['value_quantity'], row['value_unit'], row['reference_high']],
        ...[row['value_codeable_concept_code'], row['patient_id']],
      ])
      .sort(),
    [
      ['7', 'http://lab.example/codes', null, null, null, 'red', 'kin_1'],
      ['718-7', 'http://loinc.org', 12.5, 'g/dL', 16, null, 'kin_1'],
    ],
  );
  assert.deepEqual(
    [rows('procedure')[0]?.['code'], rows('medication')[0]?.['code'], rows('specimen')[0]?.['type_code']],
    ['80146002', '860975', 'B'],
  );
  const [treatment] = rows('medication');
  assert.deepEqual([treatment?.['start_date'], treatment?.['end_date']], ['2012-01-02', '2012-04-02']);
  assert.equal(rows('resource').length, 10);
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [
      'of a phenopacket was left out: subject.karyotypicSex, interpretations.diagnosis.genes, interpretations.diagnosis.disease, medicalActions.treatment.doseIntervals.quantity, medicalActions.radiationTherapy',
    ],
  );
});

test('a family is read with the ontologies of its document, also by the names of the schema', async () => {
  const member = (id: string, sex: number) => ({
    id: `P-${id}`,
    subject: { id, sex, date_of_birth: '1980-01-01T00:00:00Z' },
    phenotypic_features: [{ type: term('LAB:x', 'X') }],
  });
  const meta = { phenopacket_schema_version: '2.0.2', resources: [] };
  const family = { proband: member('a', 1), relatives: [member('b', 2)], pedigree: {}, meta_data: meta };
  const { rows, warnings } = await fixture.convert(JSON.stringify(family));
  assert.deepEqual(
    rows('demographic').map(({ patient_id, gender, birth_date }) => [patient_id, gender, birth_date]),
    [
      ['a', 'female', '1980-01-01'],
      ['b', 'male', '1980-01-01'],
    ],
  );
  // Without a system in the document the whole identifier is the code.
  assert.deepEqual(
    rows('condition').map(({ code, system }) => [code, system]),
    [
      ['LAB:x', null],
      ['LAB:x', null],
    ],
  );
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['of a phenopacket was left out: pedigree'],
  );
});

test('lines and lists of phenopackets are read, and several of one document have ids of their own', async () => {
  const other = { ...packet, id: 'P-2', subject: { id: 'kin 2' } };
  for (const text of [
    `${JSON.stringify(packet)}\n${JSON.stringify(other)}\n`,
    JSON.stringify([packet, other]),
  ]) {
    const { rows } = await fixture.convert(text);
    assert.equal(rows('demographic').length, 2);
    assert.equal(rows('condition').length, 8);
  }
});

test('one id of a subject in several packets, and ids that many people have, are reported', async () => {
  const of = (id: string, subject: string) => JSON.stringify({ ...packet, id, subject: { id: subject } });
  const warned = async (...packets: string[]) =>
    (await fixture.convert(packets.join('\n'))).warnings.map(({ message }) => message).join('\n');
  const shared = await warned(of('A', 'X7'), of('B', 'X7'), of('B', 'X8'), of('B', 'X8'));
  assert.match(shared, /^1 ids of subjects are in several phenopackets.* idPrefix$/m);
  assert.match(shared, /^1 ids of phenopackets have several subjects/m);
  assert.doesNotMatch(shared, /many people/);
  assert.match(await warned(of('A', 'Patient 1'), of('B', 'proband')), /^2 phenopackets have a subject/m);
  const prefixed = await fixture.convert(of('A', 'Patient 1'), { idPrefix: 'a-' });
  assert.doesNotMatch(prefixed.warnings.map(({ message }) => message).join(), /many people/);
});

test('an id of a subject keeps its letters and digits', async () => {
  const named = { ...packet, subject: { id: 'F7-Egypt/US P12 (II.1)' } };
  const { rows } = await fixture.convert(JSON.stringify(named));
  assert.deepEqual(
    rows('demographic').map((row) => row['patient_id']),
    ['F7-Egypt_US_P12__II.1_'],
  );
});

test('a phenopacket that cannot be read rightly is refused', async () => {
  const version = { ...metaData, phenopacketSchemaVersion: '1.0.0-RC3' };
  for (const [document, reason] of [
    [{ ...packet, metaData: version }, /only phenopackets of version 2 are read/],
    // The member for absence of version 1, under the version 2.
    [{ ...packet, phenotypicFeatures: [{ negated: true }] }, /only phenopackets of version 2 are read/],
    [{ ...packet, subject: undefined }, /has no subject/],
    [{ ...packet, subject: { id: 'ä/1' } }, /no id that FHIR could hold/],
  ] as const)
    await assert.rejects(fixture.convert(JSON.stringify(document)), reason);
});

test('numbers that are missing are zeros, as JSON of protocol buffers leaves them out', async () => {
  const measured = (quantity: object) => ({
    ...{ id: 'P', subject: { id: 'p' }, metaData },
    measurements: [{ assay: term('LOINC:718-7', 'Hemoglobin'), value: { quantity } }],
  });
  const unit = term('UCUM:g/dL', 'g/dL');
  const valuesOf = async (quantity: object) => {
    const { rows } = await fixture.convert(JSON.stringify(measured(quantity)));
    return rows('observation').map((row) => [
      row['value_quantity'],
      row['reference_low'],
      row['reference_high'],
    ]);
  };
  assert.deepEqual(await valuesOf({ unit, value: 12, referenceRange: { unit, high: 30 } }), [[12, 0, 30]]);
  assert.deepEqual(await valuesOf({ unit, value: -3, referenceRange: { unit, low: -2 } }), [[-3, -2, 0]]);
  assert.deepEqual(await valuesOf({ unit }), [[0, null, null]]);
  // Another program left the open end out.
  assert.deepEqual(await valuesOf({ unit, value: 3, referenceRange: { unit, low: 2 } }), [[3, 2, null]]);
});

test('a phenopacket without a version is read as version 2, unless it has members of version 1', async () => {
  const { metaData: _, ...bare } = packet;
  const { rows, warnings } = await fixture.convert(JSON.stringify(bare));
  assert.equal(rows('patient').length, 1);
  assert.match(warnings.map(({ message }) => message).join(), /states no phenopacketSchemaVersion/);
  const first = { ...bare, phenotypicFeatures: [{ type: term('HP:0001250', 'Seizure'), negated: true }] };
  await assert.rejects(fixture.convert(JSON.stringify(first)), /only phenopackets of version 2/);
});
