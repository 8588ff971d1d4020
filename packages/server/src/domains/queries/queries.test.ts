import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

const path = '/v1/analytics/data-lake/query';
/** The engine reports progress within a file only, about every 100,000 rows. */
const rows = 400_000;
const slow =
  "select count(*) as n from variant where sha256(sha256(rpad(variant_id, 1500, sample_id))) like 'a%'";

describeApp('queries', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Queries');
    await project.take('s.vcf', vcfText('s', 2000));
    await project.take('p.ndjson', fhirText('p', 3, 1));
  });

  const post = (query: string, address = path, call: Call = app.call): Promise<Reply> =>
    call('POST', address, { body: { query, datasetId: project.id, outputFileName: 'q.csv' } });
  const dryRun = (query: string, call?: Call) => post(query, `${path}?dryRun=true`, call);

  test('a dry run reports tables, columns and rows, and leaves no record, job or file', async () => {
    const count = async () => {
      const { read } = app.people.records;
      const rows = await Promise.all(
        (['queries', 'jobs', 'files'] as const).map((table) => read.selectFrom(table).select('id').execute()),
      );
      return rows.map(({ length }) => length);
    };
    const before = await count();
    const sql = `select v.gene, count(*), avg(v.position)::float as middle, s.patient_id
      from variant v join sequence s on s.id = v.sample_id group by all`;
    const reply = await dryRun(sql);
    assert.equal(reply.status, 200, reply.text);
    const { message, estimatedRows, plan, ...rest } = reply.body;
    assert.deepEqual(rest, {
      tables: ['sequence', 'variant'],
      masked: false,
      columns: [
        { name: 'gene', type: 'VARCHAR' },
        { name: 'count', type: 'BIGINT' },
        { name: 'middle', type: 'FLOAT' },
        { name: 'patient_id', type: 'VARCHAR' },
      ],
    });
    assert.ok(estimatedRows > 0 && estimatedRows <= 2000, `${estimatedRows}`);
    assert.match(message, /It was not run/);
    assert.deepEqual(
      plan
        .map((one: { step: string }) => one.step)
        .filter((step: string) => step.startsWith('Reads'))
        .sort(),
      ['Reads sequence', 'Reads variant'],
    );
    assert.equal((await dryRun('select * from variant')).body.estimatedRows, 2000);
    assert.equal((await dryRun('select * from variant limit 7')).body.estimatedRows, 7);
    assert.equal((await dryRun('select count(*) from variant')).body.estimatedRows, 1);
    assert.deepEqual(await count(), before);
    assert.deepEqual(readdirSync(join(app.folder, 'blobs/scratch')), []);
  });

  test('a dry run needs the same right, and reports masking', async () => {
    const reader = await app.people.member(app.account, ['readMaskedData']);
    const as =
      (key: string): Call =>
      (method, address, options) =>
        app.call(method, address, { key, ...options });
    assert.equal((await dryRun('select dob from patient', as(reader.key))).body.masked, true);
    const nobody = await app.people.member(app.account, ['createData']);
    assert.equal((await dryRun('select 1', as(nobody.key))).status, 403);
    const stranger = await app.people.owner(`dry-${app.account}`.slice(0, 32));
    assert.equal((await dryRun('select 1', as(stranger.key))).status, 404);
  });

  test('wrong names and types are refused at once, with their place in the submitted text', async () => {
    for (const [sql, place, message] of [
      ["select 'ä',\n  foo from variant", 'line 2, column 3', /no column "foo"/],
      ['select sum(gene) from variant', 'line 1, column 8', /"sum" does not take \(VARCHAR\)/],
      [
        'select v.genee from variant v',
        'line 1, column 8',
        /: the table "v" has no column "genee" \(did you mean "gene"\?\)$/,
      ],
      ['select gene from variant group by position', 'line 1, column 8', /GROUP BY/],
      ['select * from variant where position > dob', 'line 1, column 40', /no column "dob"/],
    ] as const) {
      for (const address of [path, `${path}?dryRun=true`]) {
        const reply = await post(sql, address);
        assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_QUERY'], reply.text);
        const [detail] = reply.body.details;
        assert.equal(detail.path, 'body/query');
        assert.ok(detail.message.startsWith(`${place}: `), detail.message);
        assert.match(detail.message, message);
        assert.doesNotMatch(reply.text, /LINE|CAST\(CAST|range\(/);
      }
    }
  });

  test('errors that depend on values fail the query, with a message for its author', async () => {
    const end = await project.endOfQuery(
      await project.startQuery('select cast(genotype[1] as int) as first from variant limit 1'),
    );
    assert.deepEqual([end.state, end.error?.code], ['succeeded', undefined]);
    const failed = await project.endOfQuery(
      await project.startQuery('select cast(sample_id as int) from variant'),
    );
    assert.deepEqual([failed.state, failed.error?.code], ['failed', 'QUERY_SQL']);
    assert.match(failed.error?.message ?? '', /Could not convert string 's'/);
    assert.deepEqual(await project.fileNames('q.csv'), []);
  });

  test('a statement that is too hard to plan does not block others', async () => {
    const doubling = Array.from({ length: 40 }, (_, k) => `c${k + 1} as (from c${k} union all from c${k})`);
    const bomb = `with c0 as (select 1 as a), ${doubling.join(', ')} select count(*) from c40`;
    const [, good] = await Promise.all([dryRun(bomb), dryRun('select 1 as one')]);
    assert.deepEqual(good?.body.columns, [{ name: 'one', type: 'INTEGER' }]);
  });

  test('the progress of a query grows in its record while it runs', async () => {
    const large = await TestProject.make(app.call, 'Large');
    await large.take('l.vcf', vcfText('l', rows));
    const id = await large.startQuery(slow);
    let last = 0;
    await until(async () => {
      const { state, progress } = await large.query(id);
      assert.equal(state, 'running', `${last} was the last`);
      const fraction = Number(progress);
      assert.ok(fraction >= last && fraction <= 1, `${fraction} after ${last}`);
      last = fraction;
      return fraction > 0;
    }, 'it got somewhere');
    assert.equal((await large.cancelQuery(id)).body.state, 'cancelled');
  });

  test('the record of a query holds its user, statement and time, and its result has its id', async () => {
    const id = await project.startQuery('select gene from variant limit 3', 'reported.csv');
    await project.endOfQuery(id);
    const { body } = await app.call('GET', `${path}/${id}`);
    const { startTime, endTime, ...rest } = body;
    assert.deepEqual(rest, {
      id,
      accountId: app.account,
      datasetId: project.id,
      userId: (await app.call('GET', '/v1/user')).body.id,
      outputFileName: 'reported.csv',
      queryString: Buffer.from('select gene from variant limit 3').toString('base64'),
      state: 'succeeded',
      rowCount: 3,
      resultFileId: id,
    });
    assert.ok(Number.isInteger(startTime) && Number.isInteger(endTime) && startTime <= endTime);
    assert.equal((await project.read(id)).split('\n').length, 1 + 3 + 1);
    const cancelled = await app.call('DELETE', `${path}/${id}`);
    assert.deepEqual([cancelled.status, cancelled.body.code], [409, 'QUERY_ENDED']);
  });

  test('results of one name are numbered by the files of that name, from (2) on', async () => {
    const named = await TestProject.make(app.call, 'Result names');
    const names: (string | undefined)[] = [];
    for (let run = 0; run < 3; run += 1)
      names.push((await named.endOfQuery(await named.startQuery('select 1 as one', 'n.csv'))).outputFileName);
    assert.deepEqual(names, ['n.csv', 'n.csv(2)', 'n.csv(3)']);
  });

  test('a schema lists only tables that have rows', async () => {
    const schema = `/v1/analytics/data-lake/schema`;
    const empty = await TestProject.make(app.call, 'No rows');
    assert.deepEqual((await app.call('GET', `${schema}?datasetId=${empty.id}`)).body.schemas, []);
    const { schemas } = (await app.call('GET', `${schema}?datasetId=${project.id}`)).body;
    const tables = schemas.map(({ table }: { table: string }) => table);
    assert.deepEqual(tables, [
      'coding',
      'demographic',
      'observation',
      'patient',
      'resource',
      'sequence',
      'variant',
      'variant_call',
    ]);
    for (const [table, status] of [
      ['patient', 200],
      ['nothing', 404],
      ['_resource', 404],
    ])
      assert.equal(
        (await app.call('GET', `${schema}/${table}?datasetId=${project.id}`)).status,
        status,
        `${table}`,
      );
  });

  test('every coding of a resource is a row of coding; masked readers see those that other tables show', async () => {
    const codings = await TestProject.make(app.call, 'Codings');
    const coded = (...codes: string[]) => ({
      coding: codes.map((code) => ({ system: 'urn:s', code, display: `D ${code}` })),
    });
    const observation = {
      ...{ resourceType: 'Observation', id: 'o', status: 'final', subject: { reference: 'Patient/p' } },
      category: [coded('survey'), coded('social-history')],
      code: { coding: [{ code: 'local' }, { system: 'http://loinc.org', code: '1-8', userSelected: true }] },
      extension: [
        { url: 'http://x.org', valueCoding: { system: 'urn:x', code: 'Secret1', display: 'Jane' } },
      ],
    };
    const request = {
      ...{ resourceType: 'MedicationRequest', id: 'm', subject: { reference: 'Patient/p' } },
      medicationReference: { reference: 'Medication/d' },
    };
    const substance = { resourceType: 'Medication', id: 'd', code: coded('aspirin') };
    const lines = [observation, request, substance, { resourceType: 'Patient', id: 'p' }];
    await codings.take('c.ndjson', lines.map((one) => JSON.stringify(one)).join('\n'));
    const sql = `SELECT path, system, code, display, user_selected, rank FROM coding
      WHERE resource_type <> 'Medication' ORDER BY path, rank`;
    assert.deepEqual(await codings.ask(sql), [
      'category,urn:s,survey,D survey,,1',
      'category,urn:s,social-history,D social-history,,2',
      'code,,local,,,1',
      'code,http://loinc.org,1-8,,true,2',
      'extension.valueCoding,urn:x,Secret1,Jane,,1',
      'medication,urn:s,aspirin,D aspirin,,1',
    ]);
    const joined = `SELECT count(*) FROM coding c JOIN observation o ON c.resource_id = o.id
      WHERE c.code = 'social-history' AND c.patient_id = o.patient_id`;
    assert.deepEqual(await codings.ask(joined), ['1']);
    const masked = await app.people.member(app.account, ['readMaskedData']);
    const theirs = codings.as((method, path, options) =>
      app.call(method, path, { key: masked.key, ...options }),
    );
    assert.deepEqual(await theirs.ask(joined), ['1']);
    assert.deepEqual(
      await theirs.ask(
        `SELECT path, system, code, display FROM coding WHERE path IS NULL OR path = 'code' ORDER BY 3`,
      ),
      ['code,http://loinc.org,1-8,', 'code,urn:s,aspirin,D aspirin', 'code,,local,', ',,,'],
    );
    const rule = { 'resource.subject': { comparison: 'equals', value: 'nobody' } };
    const narrow = await app.people.member(app.account, ['readData'], rule);
    const none = codings.as((method, path, options) =>
      app.call(method, path, { key: narrow.key, ...options }),
    );
    assert.deepEqual(await none.ask('SELECT count(*) FROM coding'), ['0']);
  });

  test('the history is filtered by state, user, name and time, page by page', async () => {
    const history = await TestProject.make(app.call, 'History');
    const reader = await app.people.member(app.account, ['readData', 'readMaskedData']);
    const theirs = history.as((method, address, options) =>
      app.call(method, address, { key: reader.key, ...options }),
    );
    const ids: string[] = [];
    for (const name of ['a/1.csv', 'a/2.csv', 'b_.csv', 'bx.csv']) {
      ids.push(await history.startQuery('select 1', name));
      await history.endOfQuery(ids.at(-1) ?? '');
    }
    ids.push(await theirs.startQuery("select cast('x' || i as int) from range(3) t(i)", 'a/3.csv'));
    await history.endOfQuery(ids.at(-1) ?? '');
    const list = async (filter: string): Promise<{ id: string; startTime: number; userId: string }[]> => {
      const items = [];
      for (let next: string | undefined = `${path}?datasetId=${history.id}&pageSize=2&${filter}`; next; ) {
        const reply: Reply = await app.call('GET', next);
        assert.equal(reply.status, 200, reply.text);
        items.push(...reply.body.items);
        next = reply.body.links.next;
      }
      return items;
    };
    const found = async (filter: string) => (await list(filter)).map(({ id }) => ids.indexOf(id));
    assert.deepEqual(await found(''), [4, 3, 2, 1, 0]);
    assert.deepEqual(await found('outputFileName=a/'), [4, 1, 0]);
    assert.deepEqual(await found('outputFileName=b_'), [2], 'a prefix, not a pattern');
    assert.deepEqual(await found('state=failed'), [4]);
    assert.deepEqual(await found('state=succeeded&outputFileName=a'), [1, 0]);
    assert.deepEqual(await found(`userId=${reader.userId}`), [4]);
    const [, , middle] = await list('');
    assert.deepEqual(
      await found(`startedFrom=${middle?.startTime}&startedBefore=${(middle?.startTime ?? 0) + 1}`),
      [2],
    );
    assert.deepEqual(await found('startedBefore=5'), []);
    const first = await app.call('GET', `${path}?datasetId=${history.id}&pageSize=1&state=succeeded`);
    const token = new URLSearchParams(first.body.links.next.split('?')[1]).get('nextPageToken');
    const reordered = `${path}?state=succeeded&nextPageToken=${token}&pageSize=1&datasetId=${history.id}`;
    assert.equal((await app.call('GET', reordered)).status, 200, 'the order of parameters says nothing');
    const other = `${path}?datasetId=${history.id}&pageSize=1&state=failed&nextPageToken=${token}`;
    assert.equal((await app.call('GET', other)).status, 400, 'a page belongs to its filter');
    for (const wrong of ['state=waiting', 'startedFrom=yesterday', 'startedFrom=-1'])
      assert.equal((await app.call('GET', `${path}?datasetId=${history.id}&${wrong}`)).status, 400, wrong);
  });
});
