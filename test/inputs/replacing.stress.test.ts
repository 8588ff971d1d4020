import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfHeader, vcfRecord, vcfText } from './texts.ts';

const patient = (id: string, gender: string, lastUpdated?: string) => ({
  resourceType: 'Patient',
  id,
  gender,
  ...(lastUpdated !== undefined && { meta: { lastUpdated } }),
});
const ndjson = (...resources: object[]): string =>
  resources.map((one) => `${JSON.stringify(one)}\n`).join('');
const bundle = (...entry: object[]): string =>
  JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });

describeOnPostgres('replacement by ingestions', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Replacing');
  });

  const remove = async (fileId: string, query = '') =>
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}${query}`)).status, 204);
  /** `patient,gender` */
  const genders = (...ids: string[]) =>
    project.ask(
      `select patient_id, gender from demographic where patient_id in ('${ids.join("', '")}') order by all`,
    );

  test('ingesting a file again replaces its rows, and deleting it removes them', async () => {
    const clinical = await project.take('again.ndjson', fhirText('again', 5, 2));
    const omic = await project.take('again.vcf', vcfText('again', 4));
    await project.take('again.ndjson', fhirText('again', 3));
    await project.take('again.vcf', vcfText('again', 9));
    assert.deepEqual(await project.counts('patient', 'observation', 'variant'), [3, 0, 9]);
    await project.ingest(omic);
    assert.equal(await project.count('variant'), 9);
    await remove(omic);
    await remove(clinical);
    const schema = await app.call('GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`);
    assert.deepEqual(schema.body.schemas, []);
  });

  test('an ingestion that fails leaves the rows that the file gave before', async () => {
    const file = await project.take('fails.ndjson', fhirText('fails', 4));
    await project.upload('fails.ndjson', `${fhirText('fails', 1)}{`);
    assert.equal((await project.ingest(file)).state, 'failed');
    assert.equal(await project.count('patient'), 4);
    await remove(file);
  });

  test('keepRows=true leaves the rows of a deleted file', async () => {
    await remove(await project.take('kept.ndjson', fhirText('kept', 3)), '?keepRows=true');
    assert.equal(await project.count('patient'), 3);
  });

  test('the newest meta.lastUpdated of a resource in two files counts, in any order; without one the later ingestion does', async () => {
    const [older, newer] = ['2024-01-01T00:00:00Z', '2024-06-01T00:00:00Z'];
    const latest = '2024-06-01T00:00:00.001Z';
    await project.take('v-new.ndjson', ndjson(patient('v', 'female', newer), patient('u', 'male')));
    await project.take(
      'v-old.ndjson',
      ndjson(patient('v', 'male', older), patient('w', 'other', older), patient('u', 'female')),
    );
    assert.deepEqual(await genders('v', 'u'), ['u,female', 'v,female']);
    const last = await project.take('v-last.ndjson', ndjson(patient('v', 'other', latest)));
    assert.deepEqual(await genders('v'), ['v,other']);
    await remove(last);
    const before = ['v,female', 'w,other'];
    assert.deepEqual(await genders('v', 'w'), before, 'the version before it counts again');
  });

  test('the medication of an administration follows the newest Medication, from any file', async () => {
    const medication = (code: string, lastUpdated: string) =>
      ndjson({
        resourceType: 'Medication',
        id: 'aspirin',
        meta: { lastUpdated },
        code: { coding: [{ code, system: 's', display: code.toUpperCase() }, { code: `${code}-2` }] },
      });
    const given = ndjson(
      patient('taker', 'other'),
      {
        resourceType: 'MedicationRequest',
        id: 'a',
        subject: { reference: 'Patient/taker' },
        medicationReference: { reference: 'Medication/aspirin' },
      },
      { resourceType: 'MedicationRequest', id: 'b', medicationCodeableConcept: { text: 'own' } },
      { resourceType: 'MedicationRequest', id: 'c', medicationReference: { reference: 'Medication/none' } },
      { resourceType: 'MedicationRequest', id: 'd', medicationReference: { reference: 'Medication/beside' } },
      { resourceType: 'Medication', id: 'beside', code: { coding: [{ code: 'e', system: 's' }], text: 'E' } },
    );
    const codes = () =>
      project.ask(
        "select id, code, system, display, text from medication where id in ('a', 'b', 'c', 'd') order by id",
      );
    const others = ['b,,,,own', 'c,,,,', 'd,e,s,,E'];
    // Codings that are not the first of the concept, too.
    const taken = async (code: string) => {
      const where = { patient: { medications: { code: [{ operator: 'eq', value: code }] } } };
      const body = { datasetId: project.id, query: { target: 'patient', where } };
      const { status, text, body: answer } = await app.call('POST', '/v1/analytics/dsl', { body });
      assert.equal(status, 200, text);
      return answer.data.patients.map(({ id }: { id: string }) => id);
    };
    await project.take('request.ndjson', given);
    assert.deepEqual(await codes(), ['a,,,,', ...others]);
    const file = await project.take('medication.ndjson', medication('new', '2024-06-01T00:00:00Z'));
    assert.deepEqual(await codes(), ['a,new,s,NEW,', ...others]);
    assert.deepEqual(
      [await taken('new'), await taken('new-2'), await taken('old-2')],
      [['taker'], ['taker'], []],
    );
    await project.take('older.ndjson', medication('old', '2024-01-01T00:00:00Z'));
    assert.deepEqual(await codes(), ['a,new,s,NEW,', ...others]);
    await remove(file);
    assert.deepEqual(await codes(), ['a,old,s,OLD,', ...others]);
    assert.deepEqual([await taken('new-2'), await taken('old-2')], [[], ['taker']]);
  });

  test('a Bundle entry that deletes a resource removes the rows of earlier files', async () => {
    await project.take(
      'd.ndjson',
      ndjson(patient('d', 'male', '2024-06-01T00:00:00Z'), patient('e', 'male'), patient('f', 'male')),
    );
    const entry = (id: string) => ({ request: { method: 'DELETE', url: `Patient/${id}` } });
    const deletion = await project.take('deletes.json', bundle(entry('d'), entry('e')));
    assert.deepEqual(await genders('d', 'e', 'f'), ['f,male']);
    await remove(deletion);
    assert.deepEqual(await genders('d'), ['d,male']);
  });

  test('a table whose resources were all removed by later files stays, without rows', async () => {
    const emptied = await TestProject.make(app.call, 'Emptied');
    const given = await emptied.take('given.ndjson', ndjson(patient('g', 'male')));
    await emptied.take('deletes.json', bundle({ request: { method: 'DELETE', url: 'Patient/g' } }));
    const path = `/v1/analytics/data-lake/schema/patient?datasetId=${emptied.id}`;
    assert.equal((await app.call('GET', path)).status, 200);
    assert.deepEqual(await emptied.ask('select count(*) from patient'), ['0']);
    await remove(given);
    assert.equal((await app.call('GET', path)).status, 404);
  });

  test('a sample assigned to several patients belongs to none until the files agree', async () => {
    const ofPatA = { patientId: 'patA', specimenId: 'specimen of patA', testType: 'WES' };
    /** The sample, and whose each of its variants is. */
    const seen = () =>
      project.ask(`
        select 'sample', patient_id, specimen_id, test_type from sequence where id = 'TUMOR' union all
        select 'variant', s.patient_id, v.position::varchar, null from variant v join sequence s on v.sample_id = s.id
        where s.id = 'TUMOR' order by all`);
    const reported = 'sample,patA,specimen of patA,WES';
    await project.take('tumor-a.vcf', vcfText('TUMOR', 1), ofPatA);
    assert.deepEqual(await seen(), [reported, 'variant,patA,1000,']);
    const other = await project.take('tumor-b.vcf', vcfText('TUMOR', 2), { patientId: 'patB' });
    assert.deepEqual(await seen(), ['sample,,,', 'variant,,1000,', 'variant,,1000,', 'variant,,1010,']);
    const agreed = [reported, 'variant,patA,1000,', 'variant,patA,1000,', 'variant,patA,1010,'];
    await project.ingest(other, { patientId: 'patA' });
    assert.deepEqual(await seen(), agreed);
    await project.ingest(other);
    assert.deepEqual(await seen(), agreed, 'a file without a patient contradicts no other');
    const specimen = (id: string, owner: string) => ({
      resourceType: 'Specimen',
      id,
      identifier: [{ value: 'BOTH' }],
      subject: { reference: `Patient/${owner}` },
    });
    await project.take('both.vcf', vcfText('BOTH', 1));
    await project.take('both.ndjson', ndjson(specimen('b1', 'patA'), specimen('b2', 'patB')));
    assert.deepEqual(await project.ask("select patient_id, specimen_id from sequence where id = 'BOTH'"), [
      ',',
    ]);
  });

  test('the current version of a MolecularSequence decides the patient of a sample, and a deletion removes the link', async () => {
    const sequence = (id: string, owner: string, type: string, lastUpdated: string) => ({
      resourceType: 'MolecularSequence',
      id,
      type,
      meta: { lastUpdated },
      patient: { reference: `Patient/${owner}` },
    });
    const reported = () =>
      project.ask("select id, patient_id, sequence_type from sequence where id like 'seq-%' order by 1");
    const record = vcfRecord(1000).replace('\n', '\t0/1\n');
    await project.take('seq.vcf', `${vcfHeader('seq-1\tseq-2')}${record}`);
    await project.take(
      'wrong.ndjson',
      ndjson(
        sequence('seq-1', 'patA', 'dna', '2020-01-01T00:00:00Z'),
        sequence('seq-2', 'patA', 'dna', '2020-01-01T00:00:00Z'),
        sequence('seq-3', 'patA', 'dna', '2020-01-01T00:00:00Z'),
        sequence('seq-4', 'patA', 'rna', '2020-05-01T00:00:00Z'),
      ),
    );
    assert.deepEqual(await reported(), [
      'seq-1,patA,dna',
      'seq-2,patA,dna',
      'seq-3,patA,dna',
      'seq-4,patA,rna',
    ]);
    const removal = (id: string) => ({ request: { method: 'DELETE', url: `MolecularSequence/${id}` } });
    const correction = await project.take(
      'right.json',
      bundle(
        removal('seq-1'),
        { resource: sequence('seq-2', 'patB', 'dna', '2020-02-01T00:00:00Z') },
        removal('seq-3'),
        { resource: sequence('seq-4', 'patA', 'dna', '2020-01-01T00:00:00Z') },
      ),
    );
    assert.deepEqual(await reported(), ['seq-1,,', 'seq-2,patB,dna', 'seq-4,patA,rna']);
    await remove(correction);
    assert.deepEqual(await reported(), [
      'seq-1,patA,dna',
      'seq-2,patA,dna',
      'seq-3,patA,dna',
      'seq-4,patA,rna',
    ]);
  });

  test('a Specimen that arrives after the VCF links its sample to the patient', async () => {
    await project.take('linked.vcf', vcfText('S-77', 2));
    const patients = await project.ask(`select coalesce(s.patient_id, 'nobody'), count(*) from variant v
      join sequence s on v.sample_id = s.id where s.id = 'S-77' group by 1`);
    assert.deepEqual(patients, ['nobody,2']);
    const specimen = {
      resourceType: 'Specimen',
      id: 'specimen-1',
      identifier: [{ system: 'urn:lab', value: 'S-77' }],
      subject: { reference: 'Patient/linked' },
    };
    await project.take('specimen.ndjson', ndjson(patient('linked', 'female'), specimen));
    const joined =
      await project.ask(`select s.patient_id, d.gender from variant v join sequence s on v.sample_id = s.id
      join demographic d on d.patient_id = s.patient_id where s.specimen_id = 'specimen-1'`);
    assert.deepEqual(joined, ['linked,female', 'linked,female']);
  });
});
