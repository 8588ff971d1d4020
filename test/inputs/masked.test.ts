import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../support/app.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, vcfText } from './texts.ts';

describeApp('who sees what', (app) => {
  let project: TestProject;
  let masked: TestProject;
  let fileId: string;
  let asMasked: Call;

  before(async () => {
    project = await TestProject.make(app.call, 'Masked');
    fileId = await project.take('p.ndjson', fhirText('p', 2, 1));
    await project.take('s.vcf', vcfText('s', 3), { patientId: 'p-1' });
    const reader = await app.people.member(app.account, ['readMaskedData']);
    asMasked = (method, path, options) => app.call(method, path, { key: reader.key, ...options });
    masked = project.as(asMasked);
  });

  test('who may only read masked data sees no identifier and no document, and of a birth the year', async () => {
    const [row] = await masked.ask(
      "select patient_id, data, dob from patient where dob = '1970-01-01' limit 1",
    );
    assert.match(row ?? '', /^[0-9a-f]{32},,1970-01-01$/);
    assert.deepEqual(await masked.ask("select count(*) from patient where patient_id = 'p-1'"), ['0']);
    assert.deepEqual(await masked.ask("select count(*) from patient where data like '%p-1%'"), ['0']);
  });

  test('hashed ids join as the real ones do', async () => {
    const sql = `select count(*) from variant v join sequence s on v.sample_id = s.id
      join patient p on p.patient_id = s.patient_id`;
    assert.deepEqual(await masked.ask(sql), await project.ask(sql));
    assert.deepEqual(await masked.ask(sql), ['3']);
  });

  test('he reads no file but the results of his own queries', async () => {
    assert.equal((await asMasked('GET', `/v1/files/${fileId}`)).status, 403);
    assert.deepEqual((await asMasked('GET', `/v1/files?datasetId=${project.id}&name=p.`)).body.items, []);
    const foreign = await project.startQuery('select * from patient');
    await project.endOfQuery(foreign);
    assert.equal((await asMasked('GET', `/v1/files/${foreign}`)).status, 403);
    const body = { datasetId: project.id, fileId };
    assert.equal((await asMasked('POST', '/v1/ingestions', { body })).status, 403);
  });

  test('another account sees nothing of it', async () => {
    const stranger = await app.people.owner(`stranger-${app.account}`.slice(0, 32));
    const call: Call = (method, path, options) =>
      app.call(method, path, { key: stranger.key, account: stranger.account, ...options });
    const query = await project.startQuery('select 1');
    for (const [method, path, body] of [
      ['GET', `/v1/files/${fileId}`],
      ['GET', `/v1/files?datasetId=${project.id}`],
      ['DELETE', `/v1/files/${fileId}`],
      ['GET', `/v1/ingestions?datasetId=${project.id}`],
      ['POST', '/v1/ingestions', { datasetId: project.id, fileId }],
      ['GET', `/v1/analytics/data-lake/query/${query}`],
      ['DELETE', `/v1/analytics/data-lake/query/${query}`],
      ['GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`],
      [
        'POST',
        '/v1/analytics/data-lake/query',
        { datasetId: project.id, query: 'select 1', outputFileName: 'x' },
      ],
    ] as const) {
      const reply = await call(method, path, body === undefined ? {} : { body });
      assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
    }
    assert.equal((await project.endOfQuery(query)).state, 'succeeded');
  });
});
