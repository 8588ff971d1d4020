/** Allergies, vaccinations and encounters from their resources to queries and cohorts. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText } from './texts.ts';

const subject = { reference: 'Patient/p-1' };
const coded = (system: string, code: string, text: string) => ({ coding: [{ system, code }], text });
const resources = [
  {
    resourceType: 'Encounter',
    id: 'visit',
    status: 'finished',
    class: { code: 'IMP' },
    subject,
    period: { start: '2024-03-10', end: '2024-03-14' },
  },
  {
    resourceType: 'AllergyIntolerance',
    id: 'nuts',
    criticality: 'high',
    code: coded('http://snomed.info/sct', '91935009', 'Allergy to peanuts'),
    patient: subject,
    encounter: { reference: 'Encounter/visit' },
    onsetDateTime: '2020-05-01',
  },
  {
    resourceType: 'Immunization',
    id: 'shot',
    status: 'completed',
    vaccineCode: coded('http://hl7.org/fhir/sid/cvx', '207', 'COVID-19 vaccine'),
    patient: subject,
    encounter: { reference: 'Encounter/visit' },
    occurrenceDateTime: '2024-03-11',
    lotNumber: 'L-77',
  },
];

describeOnSqlite('allergies, vaccinations and encounters', (app) => {
  let project: TestProject;
  let masked: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Care');
    const lines = resources.map((resource) => `${JSON.stringify(resource)}\n`);
    await project.take('care.ndjson', fhirText('p', 3) + lines.join(''));
    const reader = await app.people.member(app.account, ['readMaskedData']);
    masked = project.as((method, path, options) => app.call(method, path, { key: reader.key, ...options }));
  });

  test('a statement joins the three tables by patient and encounter', async () => {
    assert.deepEqual(
      await project.ask(`select p.patient_id, a.code, a.text, a.onset_date, i.code, i.lot_number, i.occurrence_date,
          e.class_code, e.start_date, e.end_date
        from patient p join allergy a using (patient_id) join immunization i using (patient_id)
        join encounter e on e.id = a.encounter_id and e.id = i.encounter_id`),
      ['p-1,91935009,Allergy to peanuts,2020-05-01,207,L-77,2024-03-11,IMP,2024-03-10,2024-03-14'],
    );
  });

  test('a masked caller sees codes, hashed ids that still join, shifted dates, and no free text', async () => {
    const [row = ''] = await masked.ask(`select a.code, i.code, e.class_code, a.criticality,
        a.text is null and i.text is null and i.lot_number is null,
        count(a.data) + count(i.data) + count(e.data), p.patient_id,
        e.start_date < '2024-03-10', e.end_date - e.start_date, i.occurrence_date - e.start_date
      from patient p join allergy a using (patient_id) join immunization i using (patient_id)
      join encounter e on e.id = a.encounter_id and e.id = i.encounter_id group by all`);
    assert.match(row, /^91935009,207,IMP,high,true,0,[0-9a-f]{32},true,4,1$/);
  });

  test('cohorts select patients by each of the three tables', async () => {
    const conditions = {
      allergy: { criticality: [{ operator: 'eq', value: 'high' }] },
      immunization: { code: [{ operator: 'eq', value: '207' }] },
      encounter: { class_code: [{ operator: 'eq', value: 'IMP' }] },
    };
    for (const [table, where] of Object.entries(conditions)) {
      const query = { target: 'patient', where: { [table]: where } };
      const body = {
        name: table,
        ownerProject: project.id,
        queries: [{ project: project.id, queryType: 'dsl', query }],
      };
      const made = await app.call('POST', '/v1/cohorts', { body });
      assert.equal(made.status, 200, made.text);
      const members = `select patient_id from cohort where cohort_id = '${made.body.id}'`;
      assert.deepEqual(await project.ask(members), ['p-1'], table);
    }
  });
});
