import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { type Call, TestProject } from './project.ts';
import { fhirText, omicTexts, vcfText } from './texts.ts';

describeOnSqlite('visible data by privilege', (app) => {
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

  test('a masked reader sees no identifier and no document, and only the year of birth', async () => {
    const [row] = await masked.ask(`
      select patient_id, data, dob, (select count(*) from patient where patient_id = 'p-1' or data like '%p-1%')
      from patient where dob = '1970-01-01' limit 1`);
    assert.match(row ?? '', /^[0-9a-f]{32},,1970-01-01,0$/);
  });

  test('hashed ids join as the real ones do', async () => {
    const sql = `select count(*) from variant v join sequence s on v.sample_id = s.id
      join patient p on p.patient_id = s.patient_id`;
    assert.deepEqual([await masked.ask(sql), await project.ask(sql)], [['3'], ['3']]);
  });

  test('masked omic rows have hashed samples, without free text and attributes', async () => {
    const files: string[] = [];
    for (const [name, text] of Object.entries(omicTexts))
      files.push(await project.take(`o.${name}`, text('o'), { patientId: 'p-1' }));
    const free = `select
      (select count(attributes) || ' ' || count(interpretation) || ' ' || count(*) from copynumber),
      (select count(attributes) || ' ' || count(interpretation) || ' ' || count(*) from fusion),
      (select count(attributes) || ' ' || count(*) || ' ' || max(expression) from gene),
      (select count(*) from copynumber where sample_id = 'o')`;
    assert.deepEqual(await project.ask(free), ['2 1 2,1 1 1,1 1 42.5,2']);
    assert.deepEqual(await masked.ask(free), ['0 0 2,0 0 1,0 1 42.5,0']);
    const joined = `select p.patient_id is not null, v.gene, c.copy_number, f.gene1, g.expression from patient p
      join sequence s on s.patient_id = p.patient_id join variant v on v.sample_id = s.id
      join copynumber c on c.sample_id = s.id and c.gene = v.gene join fusion f on f.sample_id = s.id and f.gene2 = v.gene
      join gene g on g.sample_id = s.id and g.gene_name = v.gene`;
    for (const one of [masked, project])
      assert.deepEqual(await one.ask(joined), ['true,BRAF,3.0,AKAP9,42.5']);
    for (const id of files) assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
  });

  test('a masked reader reads no file except results of own queries', async () => {
    assert.equal((await asMasked('GET', `/v1/files/${fileId}`)).status, 403);
    assert.deepEqual((await asMasked('GET', `/v1/files?datasetId=${project.id}&name=p.`)).body.items, []);
    const foreign = await project.startQuery('select * from patient');
    await project.endOfQuery(foreign);
    assert.equal((await asMasked('GET', `/v1/files/${foreign}`)).status, 403);
    const body = { datasetId: project.id, fileId };
    assert.equal((await asMasked('POST', '/v1/ingestions', { body })).status, 403);
  });

  test('a masked reader sees neither text nor name nor row count of queries over real values', async () => {
    const id = await project.startQuery(
      "select * from patient where patient_id = 'p-1'",
      'smith-john/hiv.csv',
    );
    await project.endOfQuery(id);
    const path = '/v1/analytics/data-lake/query';
    const { body } = await asMasked('GET', `${path}/${id}`);
    assert.deepEqual([body.queryString, body.outputFileName, 'rowCount' in body], ['', '', false]);
    const named = async (call: Call) =>
      (await call('GET', `${path}?datasetId=${project.id}&outputFileName=smith`)).body.items.length;
    assert.deepEqual([await named(asMasked), await named(app.call)], [0, 1]);
    const own = await masked.startQuery('select 1', 'smith-own.csv');
    await masked.endOfQuery(own);
    assert.equal(await named(asMasked), 1);
  });

  test('another account sees no masked rows', async () => {
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
