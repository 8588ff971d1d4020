import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';

/** Returns a VCF of one sample with an alternate at each position. */
function vcf(sample: string, ...positions: number[]): string {
  const header = `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`;
  const rows = positions.map((position) => `1\t${position}\t.\tA\tC\t9\tPASS\t.\tGT\t0/1`);
  return `${['##fileformat=VCFv4.3', header, ...rows].join('\n')}\n`;
}

const patient = (id: string, gender: string): string =>
  `${JSON.stringify({ resourceType: 'Patient', id, gender, birthDate: '1980-01-01' })}\n`;

const links = 'select id, patient_id, specimen_id from sequence order by id';

describeApp('samples and their patients', (app) => {
  let project: TestProject;
  const path = () => `/v1/projects/${project.id}/samples`;
  const as =
    (key: string): Call =>
    (method, route, options) =>
      app.call(method, route, { key, ...options });
  const put = (samples: object[], headers: Record<string, string> = {}, key?: string) =>
    app.call('PUT', path(), { body: { samples }, headers, ...(key && { key }) });
  const warningsOf = async (fileId: string): Promise<string[]> => {
    const { body } = await app.call('GET', `/v1/ingestions?datasetId=${project.id}&pageSize=100`);
    const one = body.items.find((item: { fileId: string }) => item.fileId === fileId);
    return one.warnings.map(({ message }: { message: string }) => message);
  };

  before(async () => {
    project = await TestProject.make(app.call, 'Linked samples');
    await project.take('a.vcf', vcf('a', 10, 20));
    await project.take('b.vcf', vcf('b', 30), { patientId: 'p-2', specimenId: 'x-2' });
  });

  test('a list assigns patients to samples for SQL, analytics and readers of some patients, without another ingestion', async () => {
    assert.deepEqual(await project.ask(links), ['a,,', 'b,p-2,x-2']);
    const rule = {
      'resource.subject': { comparison: 'equals', value: 'p-1' },
      'resource.dataset': { comparison: 'equals', value: project.id },
    };
    const one = await app.people.member(app.account, ['readData'], rule);
    const masked = await app.people.member(app.account, ['readMaskedData']);
    const reply = await put([
      { sampleId: 'a', patientId: 'p-1', specimenId: 'x-1' },
      { sampleId: 'later', patientId: 'p-3' },
    ]);
    assert.deepEqual([reply.status, reply.body], [200, { samples: 2 }]);
    assert.deepEqual(await project.ask(links), ['a,p-1,x-1', 'b,p-2,x-2']);
    assert.deepEqual(await project.as(as(one.key)).ask('select position from variant order by 1'), [
      '10',
      '20',
    ]);
    assert.deepEqual(
      await project.as(as(masked.key)).ask("select count(*) from sequence where patient_id = 'p-1'"),
      ['0'],
    );
    const query = { target: 'patient', where: { variant: { position: [{ operator: 'eq', value: 10 }] } } };
    const found = await app.call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, query } });
    assert.deepEqual(found.body.data, { patients: [{ id: 'p-1' }] });
    const listed = await app.call('GET', path());
    assert.deepEqual(listed.body.items, [
      { sampleId: 'a', patientId: 'p-1', specimenId: 'x-1' },
      { sampleId: 'later', patientId: 'p-3' },
    ]);
    await project.take('later.vcf', vcf('later', 40));
    assert.deepEqual(await project.ask("select patient_id from sequence where id = 'later'"), ['p-3']);
  });

  test('the list decides over the file, an absent patient removes that of the file, and an empty list ends it', async () => {
    await put([{ sampleId: 'b' }]);
    assert.deepEqual(
      await project.ask("select id, patient_id, specimen_id from sequence where id < 'c' order by id"),
      ['a,,', 'b,,'],
    );
    await put([]);
    assert.deepEqual(await project.ask("select patient_id, specimen_id from sequence where id = 'b'"), [
      'p-2,x-2',
    ]);
    assert.deepEqual((await app.call('GET', path())).body.items, []);
  });

  test('a change of a list that was changed meanwhile is refused, and each change is in the audit log', async () => {
    const etag = (await app.call('GET', path())).headers.get('etag') ?? '';
    const first = await put([{ sampleId: 'a', patientId: 'p-9' }], { 'if-match': etag });
    assert.equal(first.status, 200);
    const second = await put([], { 'if-match': etag });
    assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
    assert.equal((await put([], { 'if-match': first.headers.get('etag') ?? '' })).status, 200);
    const log = await app.call('GET', '/v1/audit-events?action=samples.replace');
    assert.ok(log.body.items.length >= 2);
    assert.equal(JSON.stringify(log.body).includes('p-9'), false);
  });

  test('a sample twice is refused, and so is a caller who sees some patients, masked values or nothing', async () => {
    const twice = await put([{ sampleId: 'a' }, { sampleId: 'a' }]);
    assert.deepEqual([twice.status, twice.body.details[0].path], [400, 'body/samples/1/sampleId']);
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    const some = await app.people.member(app.account, ['readData', 'updateData'], rule);
    const masked = await app.people.member(app.account, ['readMaskedData', 'updateData']);
    const stranger = await app.people.owner('sample-strangers');
    const statuses = [];
    for (const { key } of [some, masked, stranger]) statuses.push((await put([], {}, key)).status);
    assert.deepEqual(statuses, [403, 403, 404]);
  });

  test('a sample that gets another patient is a warning in both ingestions', async () => {
    const first = await project.take('c1.vcf', vcf('c', 10), { patientId: 'p-1' });
    assert.deepEqual(await warningsOf(first), []);
    const second = await project.take('c2.vcf', vcf('c', 20), { patientId: 'p-2' });
    assert.match((await warningsOf(first)).join(), /later ingestion has another patient for 1 sample /);
    assert.match((await warningsOf(second)).join(), /earlier ingestion has another patient for 1 sample /);
    assert.deepEqual(
      await project.ask("select count(*) from sequence where id = 'c' and patient_id is null"),
      ['1'],
    );
    await put([{ sampleId: 'c', patientId: 'p-1' }]);
    assert.deepEqual(await project.ask("select patient_id from sequence where id = 'c'"), ['p-1']);
  });

  test('other values of a sample or a patient are a warning, and the same file again is none', async () => {
    const one = await project.take('d1.vcf', vcf('d', 10), { testType: 'WES' });
    assert.deepEqual(await warningsOf(one), []);
    const other = await project.take('d2.vcf', vcf('d', 20), { testType: 'WGS' });
    assert.match((await warningsOf(other)).join(), /test type .* for 1 sample/);
    await project.take('m.ndjson', patient('p-5', 'male'));
    const same = await project.take('n.ndjson', patient('p-5', 'male'));
    assert.deepEqual(await warningsOf(same), []);
    const changed = await project.take('f.ndjson', patient('p-5', 'female'));
    assert.match((await warningsOf(changed)).join(), /gender or birth date for 1 patient/);
  });
});
