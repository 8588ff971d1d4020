import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

const subject = { reference: 'Patient/p' };
const concept = (system: string, code: string, display: string) => ({ coding: [{ system, code, display }] });
const snomed = 'http://snomed.info/sct';
const hpo = 'http://human-phenotype-ontology.org';
const loinc = concept('http://loinc.org', '718-7', 'Hemoglobin');
const status = (code: string) =>
  concept('http://terminology.hl7.org/CodeSystem/condition-ver-status', code, code);
const resources = [
  {
    resourceType: 'Patient',
    id: 'p',
    gender: 'female',
    birthDate: '1970-05-17',
    deceasedDateTime: '2020-01-02',
  },
  { resourceType: 'Patient', id: 'q', gender: 'male' },
  {
    resourceType: 'Condition',
    id: 'c1',
    subject,
    code: concept(snomed, '44054006', 'Type 2 diabetes'),
    onsetDateTime: '2001-02-03',
  },
  {
    resourceType: 'Condition',
    id: 'c2',
    subject,
    code: concept(hpo, 'HP:0001250', 'Seizure'),
    verificationStatus: status('refuted'),
  },
  {
    resourceType: 'Condition',
    id: 'c3',
    subject,
    code: loinc,
    verificationStatus: status('entered-in-error'),
  },
  { resourceType: 'Condition', id: 'c4', subject, code: { text: 'Only words' } },
  {
    resourceType: 'Observation',
    id: 'o1',
    status: 'final',
    subject,
    code: loinc,
    effectiveDateTime: '2010-01-01',
    valueQuantity: { value: 12.5, unit: 'g/dL' },
    referenceRange: [{ low: { value: 12 }, high: { value: 16 } }],
  },
  {
    resourceType: 'Observation',
    id: 'o2',
    status: 'final',
    subject,
    code: loinc,
    valueQuantity: { value: 3, comparator: '<', unit: 'g/dL' },
  },
  {
    resourceType: 'Observation',
    id: 'o3',
    status: 'final',
    subject,
    code: concept(hpo, 'HP:0000252', 'Microcephaly'),
    valueBoolean: false,
  },
  {
    resourceType: 'Procedure',
    id: 'r1',
    status: 'completed',
    subject,
    code: concept(snomed, '80146002', 'Appendectomy'),
    performedDateTime: '1999-09-09',
  },
  {
    resourceType: 'MedicationRequest',
    id: 'm1',
    status: 'active',
    intent: 'order',
    subject,
    medicationCodeableConcept: concept('http://www.nlm.nih.gov/research/umls/rxnorm', '860975', 'Metformin'),
  },
  {
    resourceType: 'Specimen',
    id: 's1',
    subject,
    type: concept('http://hospital.example/types', 'B', 'Blood'),
  },
];

describeApp('phenopackets', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Phenopackets');
    await project.take('p.ndjson', resources.map((one) => JSON.stringify(one)).join('\n'));
  });

  const get = (id: string, key = app.key): Promise<Reply> =>
    app.call('GET', `/v1/projects/${project.id}/subjects/${id}/phenopacket`, { key });

  test('a patient with 10,000 rows is 422 PHENOPACKET_SIZE, one with fewer has a phenopacket', async () => {
    const many = await TestProject.make(app.call, 'Many rows');
    const observations = Array.from({ length: 9_998 }, (_, at) =>
      JSON.stringify({ resourceType: 'Observation', id: `o${at}`, status: 'final', subject, code: loinc }),
    );
    const patient = JSON.stringify({ resourceType: 'Patient', id: 'p', gender: 'female' });
    await many.take('fewer.ndjson', [patient, ...observations].join('\n'));
    const read = () => app.call('GET', `/v1/projects/${many.id}/subjects/p/phenopacket`);
    assert.equal((await read()).status, 200);
    await many.take('last.ndjson', (observations[0] ?? '').replace('"o0"', '"last"'));
    const { status, body } = await read();
    assert.deepEqual([status, body.code], [422, 'PHENOPACKET_SIZE']);
  });

  test('an exported phenopacket is ingested, and exported again as the same', async () => {
    const { text, body } = await get('p');
    const other = await TestProject.make(app.call, 'Back');
    await other.take('p.json', text);
    const again = await app.call('GET', `/v1/projects/${other.id}/subjects/p/phenopacket`);
    // The specimen has an id of the document. Lists have no order.
    const partsOf = ({ metaData, biosamples, ...parts }: Record<string, unknown>) =>
      Object.entries(parts).map(([name, part]) =>
        Array.isArray(part) ? [name, part.map((one) => JSON.stringify(one)).sort()] : [name, part],
      );
    assert.deepEqual(partsOf(again.body), partsOf(body));
  });

  test('the clinical rows of a patient are a phenopacket', async () => {
    const { status, body, text } = await get('p');
    assert.equal(status, 200, text);
    const { metaData, ...rest } = body;
    assert.deepEqual(rest, {
      id: 'p',
      subject: {
        id: 'p',
        dateOfBirth: '1970-05-17T00:00:00Z',
        sex: 'FEMALE',
        vitalStatus: { status: 'DECEASED', timeOfDeath: { timestamp: '2020-01-02T00:00:00Z' } },
      },
      phenotypicFeatures: [
        { type: { id: 'HP:0001250', label: 'Seizure' }, excluded: true },
        { type: { id: 'HP:0000252', label: 'Microcephaly' }, excluded: true },
      ],
      measurements: [
        {
          assay: { id: 'LOINC:718-7', label: 'Hemoglobin' },
          value: {
            quantity: {
              unit: { id: 'UCUM:g/dL', label: 'g/dL' },
              value: 12.5,
              referenceRange: { unit: { id: 'UCUM:g/dL', label: 'g/dL' }, low: 12, high: 16 },
            },
          },
          timeObserved: { timestamp: '2010-01-01T00:00:00Z' },
        },
      ],
      biosamples: [{ id: 's1', individualId: 'p', sampleType: { id: 'local5:B', label: 'Blood' } }],
      diseases: [
        {
          term: { id: 'SNOMEDCT:44054006', label: 'Type 2 diabetes' },
          onset: { timestamp: '2001-02-03T00:00:00Z' },
        },
      ],
      medicalActions: [
        {
          procedure: {
            code: { id: 'SNOMEDCT:80146002', label: 'Appendectomy' },
            performed: { timestamp: '1999-09-09T00:00:00Z' },
          },
        },
        { treatment: { agent: { id: 'RXNORM:860975', label: 'Metformin' } } },
      ],
    });
    assert.equal(metaData.phenopacketSchemaVersion, '2.0');
    const prefixes = metaData.resources.map(
      ({ namespacePrefix }: { namespacePrefix: string }) => namespacePrefix,
    );
    assert.deepEqual(prefixes.sort(), ['HP', 'LOINC', 'RXNORM', 'SNOMEDCT', 'UCUM', 'local5']);
  });

  test('a patient without further rows has empty lists, and an unknown one is not found', async () => {
    const { body } = await get('q');
    assert.deepEqual([body.subject, body.diseases], [{ id: 'q', sex: 'MALE' }, []]);
    assert.equal((await get('none')).status, 404);
    assert.equal((await get("p' OR 'a' = 'a")).status, 404);
  });

  test('callers of masked values are refused, and callers of some patients find only these', async () => {
    const masked = await app.people.member(app.account, ['readMaskedData']);
    assert.equal((await get('p', masked.key)).status, 403);
    const rule = { 'resource.subject': { comparison: 'equals', value: 'q' } };
    const some = await app.people.member(app.account, ['readData'], rule);
    assert.deepEqual([(await get('q', some.key)).status, (await get('p', some.key)).status], [200, 404]);
    const stranger = await app.people.owner(`phe-${app.account}`.slice(0, 32));
    assert.equal((await get('p', stranger.key)).status, 404);
  });

  test('a patient whose rows are masked is not found, also for callers who see others as they are', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'q' } };
    const mixed = await app.people.member(app.account, ['readMaskedData']);
    const policy = {
      rules: { readData: [{ 'user.id': { comparison: 'equals', value: mixed.userId }, ...rule }] },
    };
    assert.equal((await app.call('POST', '/v1/policies', { body: { name: 'Mixed', policy } })).status, 200);
    const asked = { query: 'SELECT patient_id FROM demographic', datasetId: project.id };
    const { rows } = (await app.call('POST', '/v1/analytics/data-lake/rows', { key: mixed.key, body: asked }))
      .body;
    const hash = rows.flat().find((id: string) => id !== 'q');
    assert.equal(hash.length, 32);
    assert.deepEqual([(await get('q', mixed.key)).status, (await get(hash, mixed.key)).status], [200, 404]);
  });
});
