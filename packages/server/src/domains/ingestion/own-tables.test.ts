import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp, type TestApp } from '../../../../../test/support/app.ts';

const biobank = [
  'Patient ID,Sample ID,Freezer,Volume,Drawn,Note',
  'p-1,s-1,A01,1.5,2021-03-04,fasting',
  'p-1,s-2,A02,0.5,2021-04-01,',
  'p-2,s-3,B01,2,2022-01-09,call Ms Doe',
].join('\n');

const asTable = (name: string, more: object = {}) => ({ type: 'table', table: { name, ...more } });

/** Calls as a member with these rights, on some patients of the project only if given. */
async function memberCall(
  app: TestApp,
  rights: string[],
  subject?: { project: TestProject; patient: string },
) {
  const { key, userId } = await app.people.member(app.account, rights as never);
  if (subject) {
    const equals = (value: string) => ({ comparison: 'equals', value });
    const rule = {
      'user.id': equals(userId),
      'resource.dataset': equals(subject.project.id),
      'resource.subject': equals(subject.patient),
    };
    const body = { name: `Only ${subject.patient}`, policy: { rules: { readData: [rule] } } };
    assert.equal((await app.call('POST', '/v1/policies', { body })).status, 200);
  }
  return ((method, path, options) => app.call(method, path, { key, ...options })) satisfies Call as Call;
}

async function schemaOf(project: TestProject): Promise<Record<string, string[]>> {
  const { body } = await project.call('GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`);
  const schemas: { table: string; columns: { name: string; type: string }[] }[] = body.schemas;
  return Object.fromEntries(
    schemas.map(({ table, columns }) => [table, columns.map(({ name, type }) => `${name}:${type}`)]),
  );
}

describeApp('tables of a project’s own', (app) => {
  test('a CSV becomes a table that the schema lists and statements join', async () => {
    const project = await TestProject.make(app.call, 'Joined');
    await project.take('patients.ndjson', fhirText('p', 3, 1));
    await project.take('biobank.csv', biobank, { type: 'table' });
    assert.deepEqual((await schemaOf(project))['biobank'], [
      ...['patient_id:string', 'sample_id:string', 'freezer:string', 'volume:float'],
      ...['drawn:date', 'note:string'],
    ]);
    const statement = `SELECT b.freezer, b.volume, year(b.drawn) FROM biobank b
        JOIN patient USING (patient_id) ORDER BY b.freezer`;
    assert.deepEqual(await project.ask(statement), ['A01,1.5,2021', 'A02,0.5,2021', 'B01,2.0,2022']);
    assert.equal((await project.dryRun('SELECT nothing FROM biobank')).status, 400);
  });

  test('a table with a name of the language is like any other', async () => {
    const project = await TestProject.make(app.call, 'Words');
    await project.take('c.csv', 'constructor,to_string,a_row\n1,2,3', asTable('constructor'));
    const { status, body } = await app.call('GET', `/v1/ingestions?datasetId=${project.id}`);
    assert.deepEqual([status, body.items?.[0].found.tables], [200, { constructor: 1 }]);
    assert.deepEqual(await project.ask('SELECT constructor FROM constructor'), ['1']);
  });

  test('fields of analytics name the columns of a project’s own tables, to masked callers only visible ones', async () => {
    const project = await TestProject.make(app.call, 'Fields');
    const columns = [{ name: 'Freezer', mask: 'code' }];
    await project.take('biobank.csv', biobank, asTable('biobank', { columns }));
    const path = `/v1/analytics/fields?datasetId=${project.id}`;
    const ownOf = async (call: Call) => {
      const { collections } = (await call('GET', path)).body;
      const [found] = collections.filter(({ own }: { own: boolean }) => own);
      return [found.target, found.names, found.fields.map(({ name }: { name: string }) => name)];
    };
    const names = ['patient.biobank', 'biobank'];
    const ids = ['patient_id', 'sample_id', 'freezer'];
    assert.deepEqual(await ownOf(project.call), ['biobank', names, [...ids, 'volume', 'drawn', 'note']]);
    const masked = await memberCall(app, ['readMaskedData']);
    assert.deepEqual(await ownOf(masked), ['biobank', names, ids]);
    const other = await memberCall(app, ['createData']);
    assert.equal((await other('GET', path)).status, 403);
    const stranger = await app.people.owner('strangers');
    assert.equal((await app.call('GET', path, { key: stranger.key })).status, 404);
    const { body } = await project.call('GET', '/v1/analytics/fields');
    assert.ok(body.collections.every(({ own }: { own: boolean }) => !own));
  });

  test('masked callers see hashed ids that join, chosen columns, and NULL for all others', async () => {
    const project = await TestProject.make(app.call, 'Masked');
    await project.take('patients.ndjson', fhirText('p', 3, 1));
    const columns = [
      { name: 'Volume', mask: 'none' },
      { name: 'Drawn', mask: 'shift' },
      { name: 'Freezer', mask: 'code' },
    ];
    await project.take('biobank.csv', biobank, asTable('biobank', { columns }));
    const masked = project.as(await memberCall(app, ['readMaskedData']));
    const joined = 'SELECT count(*) FROM biobank JOIN patient USING (patient_id)';
    assert.deepEqual(await masked.ask(joined), ['3']);
    const [first = ''] = await masked.ask(
      "SELECT patient_id, sample_id, freezer, volume, drawn < DATE '2021-03-04', note FROM biobank WHERE volume = 1.5",
    );
    assert.match(first, /^[0-9a-f]{32},[0-9a-f]{32},A01,1\.5,true,$/);
    assert.deepEqual(
      await masked.ask("SELECT count(*) FROM biobank WHERE patient_id = 'p-1' OR note IS NOT NULL"),
      ['0'],
    );
  });

  test('a caller of some patients sees their rows only, and no table without patients', async () => {
    const project = await TestProject.make(app.call, 'Some patients');
    await project.take('biobank.csv', biobank, { type: 'table' });
    await project.take('sites.csv', 'Sample ID,site\ns-1,x\ns-9,y\n', { type: 'table' });
    await project.take('drugs.csv', 'drug\naspirin\n', { type: 'table' });
    await project.take('s-1.vcf', vcfText('s-1', 2), { patientId: 'p-1' });
    const some = project.as(await memberCall(app, [], { project, patient: 'p-1' }));
    assert.deepEqual(await some.ask('SELECT sample_id FROM biobank ORDER BY 1'), ['s-1', 's-2']);
    assert.equal((await some.dryRun('SELECT * FROM drugs')).status, 400);
    // A sample belongs to its known patient in the project.
    assert.deepEqual(await some.ask('SELECT site FROM sites'), ['x']);
    assert.equal((await schemaOf(some))['drugs'], undefined);
    const none = project.as(await memberCall(app, []));
    assert.equal((await none.dryRun('SELECT * FROM biobank')).status, 404);
  });

  test('a file that is replaced replaces the table with its columns; a deleted file removes it', async () => {
    const project = await TestProject.make(app.call, 'Replaced');
    const fileId = await project.take('list.csv', biobank, asTable('biobank'));
    await project.take('list.csv', 'patient_id,colour\np-7,blue\n', asTable('biobank'));
    assert.deepEqual(await project.ask('SELECT * FROM biobank'), ['p-7,blue']);
    assert.deepEqual((await schemaOf(project))['biobank'], ['patient_id:string', 'colour:string']);
    // Another name: the file has one table only.
    await project.ingest(fileId, asTable('renamed'));
    assert.deepEqual(Object.keys(await schemaOf(project)), ['renamed']);
    const kept = await app.call('DELETE', `/v1/files/${fileId}?keepRows=true`);
    assert.deepEqual([kept.status, kept.body.code], [409, 'TABLE_OF_FILE']);
    assert.equal((await app.call('DELETE', `/v1/files/${fileId}`)).status, 204);
    assert.deepEqual(await schemaOf(project), {});
    assert.equal((await project.dryRun('SELECT * FROM renamed')).status, 400);
  });

  test('a name is of one file: a second file fails, a move is 409, and both work under another name', async () => {
    const [one, other] = [await TestProject.make(app.call, 'One'), await TestProject.make(app.call, 'Two')];
    await one.take('a.csv', biobank, asTable('biobank'));
    const second = await one.upload('b.csv', biobank);
    const end = await one.ingest(second, asTable('biobank'));
    assert.deepEqual([end.state, end.error?.code], ['failed', 'TABLE_EXISTS']);
    assert.equal((await one.ingest(second, asTable('second'))).state, 'succeeded');
    const moving = await other.take('c.csv', 'patient_id,n\np-5,5\n', asTable('biobank'));
    const move = (to: TestProject) =>
      app.call('PATCH', `/v1/files/${moving}`, { body: { datasetId: to.id } });
    const refused = await move(one);
    assert.deepEqual([refused.status, refused.body.code], [409, 'TABLE_EXISTS'], refused.text);
    await other.ingest(moving, asTable('moved'));
    assert.equal((await move(one)).status, 200);
    assert.deepEqual(await one.ask('SELECT * FROM moved'), ['p-5,5']);
    assert.deepEqual(await schemaOf(other), {});
  });

  test('analytics and cohorts count by the rows of an own table', async () => {
    const project = await TestProject.make(app.call, 'Counted');
    await project.take('patients.ndjson', fhirText('p', 3, 1));
    await project.take('biobank.csv', biobank, asTable('biobank'));
    await project.take('drugs.csv', 'drug\naspirin\n', asTable('drugs'));
    const ask = (query: object) =>
      app.call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, ...query } });
    const many = await ask({
      query: { where: { biobank: { volume: { operator: 'lt', value: 1 } } }, target: 'patient' },
    });
    assert.deepEqual(many.body.data, { patients: [{ id: 'p-1' }] }, many.text);
    const text = "SELECT biobank FROM biobank WHERE biobank.drawn >= '2022-01-01'";
    const rows = await ask({ string_query: text, options: { fields: ['freezer', 'volume'] } });
    assert.deepEqual(rows.body.data, { biobank: [{ freezer: 'B01', volume: 2 }] }, rows.text);
    const sum = await ask({
      query: {
        target: 'biobank',
        domain: 'aggregate',
        options: { metrics: [{ op: 'sum', field: 'volume' }] },
      },
    });
    assert.equal(sum.status, 200, sum.text);
    assert.equal((await ask({ query: { target: 'drugs' } })).status, 400);
    const queries = [
      {
        project: project.id,
        queryType: 'dsl',
        query: { target: 'patient', where: { biobank: { freezer: { operator: 'eq', value: 'B01' } } } },
      },
      {
        project: project.id,
        queryType: 'sql',
        query: { sql: "SELECT patient_id FROM biobank WHERE freezer = 'A02'" },
      },
    ];
    const body = { name: 'Stored', ownerProject: project.id, queries };
    const made = await app.call('POST', '/v1/cohorts', { body });
    assert.equal(made.status, 200, made.text);
    const members = 'SELECT patient_id FROM cohort ORDER BY 1';
    assert.deepEqual(await project.ask(members), ['p-1', 'p-2']);
    await project.take('biobank.csv', biobank.replace('B01', 'C01'), asTable('biobank'));
    assert.deepEqual(await project.ask(members), ['p-1']);
  });

  test('names of other tables, options of samples, and a table of another type are 400', async () => {
    const project = await TestProject.make(app.call, 'Refused');
    const fileId = await project.upload('a.csv', biobank);
    const start = (options: object) =>
      app.call('POST', '/v1/ingestions', { body: { datasetId: project.id, fileId, ...options } });
    for (const [options, path] of [
      [asTable('patients'), 'body/table/name'],
      [asTable('Biobank'), 'body/table/name'],
      [{ ...asTable('biobank'), patientId: 'p' }, 'body/patientId'],
      [{ type: 'vcf', table: { name: 'biobank' } }, 'body/table'],
    ] as const) {
      const { status, body } = await start(options);
      assert.deepEqual([status, body.details?.[0]?.path], [400, path]);
    }
  });

  test('a user of another account finds neither the table nor its name', async () => {
    const project = await TestProject.make(app.call, 'Private');
    await project.take('biobank.csv', biobank, { type: 'table' });
    const stranger = await app.people.owner('others');
    const theirs: Call = (method, path, options) => app.call(method, path, { key: stranger.key, ...options });
    const { status } = await theirs('GET', `/v1/analytics/data-lake/schema?datasetId=${project.id}`);
    assert.equal(status, 404);
    assert.equal((await project.as(theirs).dryRun('SELECT * FROM biobank')).status, 404);
  });
});
