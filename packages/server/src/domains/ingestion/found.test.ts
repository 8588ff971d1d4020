import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('content of an ingestion', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Found');
  });

  const foundIn = async (name: string, text: string, options: object = {}) => {
    const id = await project.startIngestion(await project.upload(name, text), options);
    assert.equal((await project.endOfIngestion(id)).state, 'succeeded');
    const { body } = await app.call('GET', `/v1/ingestions/${id}`);
    return { id, found: body.found };
  };

  test('an ingestion names its samples, its patients and the rows of each table', async () => {
    const vcf = await foundIn('s.vcf', vcfText('s-1', 3), { patientId: 'p-1' });
    const { records, read, kept, unread, leftOut, ...names } = vcf.found;
    assert.deepEqual([records, kept, leftOut], [3, [], []]);
    assert.ok(read.some(({ name }: { name: string }) => name === 'FORMAT/GT') && Array.isArray(unread));
    assert.deepEqual(names, {
      tables: { variant: 3, variant_call: 3, sequence: 1 },
      samples: { count: 1, names: ['s-1'] },
      patients: { count: 1, names: ['p-1'] },
    });
    const { found } = await foundIn('p.ndjson', fhirText('p', 30, 1));
    assert.deepEqual([found.tables.patient, found.tables.observation], [30, 30]);
    assert.deepEqual([found.samples, found.patients.count], [{ count: 0, names: [] }, 30]);
    assert.deepEqual(found.patients.names.slice(0, 3), ['p-0', 'p-1', 'p-10']);
    assert.equal(found.patients.names.length, 20);
  });

  test('an ingestion of sequences or annotations accounts for its records', async () => {
    const { found } = await foundIn('r.fa', '>chrZ1\nACGT\n>chrZ2\nAC\n');
    assert.deepEqual([found.records, found.tables, found.samples.count], [2, {}, 0]);
    const known = await foundIn('known.vcf', vcfText('s-9', 3), { type: 'annotation' });
    assert.deepEqual([known.found.records, known.found.leftOut], [3, []]);
  });

  test('the list of one file has its ingestions only, newest first', async () => {
    const fileId = await project.upload('again.vcf', vcfText('s-3', 3));
    const first = await project.startIngestion(fileId);
    await foundIn('other.vcf', vcfText('s-4', 3));
    const second = await project.startIngestion(fileId);
    const address = `/v1/ingestions?datasetId=${project.id}&fileId=${fileId}`;
    const { body } = await app.call('GET', `${address}&pageSize=1`);
    const rest = await app.call('GET', body.links.next);
    const listed = [...body.items, ...rest.body.items].map(({ id }: { id: string }) => id);
    assert.deepEqual([listed, rest.body.links.next], [[second, first], undefined]);
    const ofAll = body.links.next.replace(`&fileId=${fileId}`, '');
    assert.equal((await app.call('GET', ofAll)).body.code, 'INVALID_INPUT');
  });

  test('a user who may ingest and not read sees rows of tables and no names', async () => {
    const { id } = await foundIn('t.vcf', vcfText('s-2', 3));
    const { key } = await app.people.member(app.account, ['createData']);
    const { body } = await app.call('GET', `/v1/ingestions/${id}`, { key });
    assert.deepEqual(body.found, { tables: { variant: 3, variant_call: 3, sequence: 1 } });
  });
});
