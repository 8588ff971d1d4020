import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../test/support/app.ts';
import { until } from '../../../../test/support/until.ts';

describeApp('projects in view, and work in all of them', (app) => {
  const made: string[] = [];
  const limited = (project: string) => ({
    'resource.dataset': { comparison: 'equals', value: project },
  });
  let reader: { key: string; userId: string };
  let other: { key: string; userId: string };

  const list = async (query: string, key?: string) => {
    const reply = await app.call('GET', `/v1/${query}`, { ...(key && { key }) });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.items;
  };

  before(async () => {
    for (const name of ['First', 'Second', 'Third'])
      made.push((await app.call('POST', '/v1/projects', { body: { name } })).body.id);
    const [first = '', second = ''] = made;
    reader = await app.people.member(app.account, ['readMaskedData'], limited(first));
    other = await app.people.member(app.account, ['readData', 'createData'], limited(second));
    for (const project of made) {
      const body = { datasetId: project, name: 'a.ndjson', ingest: true };
      const { id, uploadUrl } = (await app.call('POST', '/v1/files', { body })).body;
      await fetch(uploadUrl, { method: 'PUT', body: '{"resourceType":"Patient","id":"p1"}\n' });
      await until(async () => {
        const [one] = await list(`ingestions?datasetId=${project}&fileId=${id}`);
        return one?.state === 'succeeded';
      }, 'the file is ingested');
    }
  });

  test('a member lists the projects in which a privilege may hold, with rights and counts', async () => {
    const names = async (key?: string) =>
      (await list('projects', key)).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(), ['First', 'Second', 'Third']);
    assert.deepEqual(await names(reader.key), ['First']);
    assert.deepEqual(await names(other.key), ['Second']);
    const none = await app.people.member(app.account, ['apiKeyUser']);
    assert.deepEqual(await names(none.key), []);
    const [first] = await list('projects?include=rights,counts', reader.key);
    assert.deepEqual(first.rights, [{ privilege: 'readMaskedData', isWhole: true }]);
    assert.equal(first.counts, undefined);
    const [second] = await list('projects?include=counts', other.key);
    assert.deepEqual(Object.keys(second.counts), ['files', 'bytes', 'changedAt']);
    assert.deepEqual([second.counts.files, second.rights], [1, undefined]);
    assert.equal((await app.call('GET', '/v1/projects?include=storage')).status, 400);
  });

  test('a project out of view is 404 on every address that names it, as one that does not exist', async () => {
    const [, second = ''] = made;
    for (const id of [second, '01a22b3c-0000-7000-8000-000000000000'])
      for (const [method, path, body] of [
        ['GET', `/v1/projects/${id}`],
        ['PATCH', `/v1/projects/${id}`, { name: 'x' }],
        ['GET', `/v1/ingestions?datasetId=${id}`],
        ['GET', `/v1/analytics/data-lake/schema?datasetId=${id}`],
        ['POST', '/v1/analytics/data-lake/rows', { datasetId: id, query: 'SELECT 1' }],
        ['POST', '/v1/files', { datasetId: id, name: 'x' }],
      ] as const) {
        const reply = await app.call(method, path, { key: reader.key, ...(body && { body }) });
        assert.equal(reply.status, 404, `${method} ${path}`);
      }
    const [first = '', , third = ''] = made;
    const owned = await app.people.member(
      app.account,
      ['readData', 'createData', 'updateData'],
      limited(first),
    );
    const file = { datasetId: first, name: 'mine.txt' };
    const { id } = (await app.call('POST', '/v1/files', { key: owned.key, body: file })).body;
    const unknown = '01a22b3c-0000-7000-8000-000000000000';
    for (const [method, path, bodyFor] of [
      ['PATCH', `/v1/files/${id}`, (project: string) => ({ datasetId: project })],
      ['POST', '/v1/cohorts', (project: string) => ({ name: 'x', ownerProject: project, subjectIds: [] })],
      [
        'POST',
        '/v1/cohorts',
        (project: string) => ({
          ...{ name: 'x', ownerProject: first },
          queries: [{ project, queryType: 'dsl', query: { target: 'patient' } }],
        }),
      ],
      [
        'POST',
        '/v1/analytics/dsl',
        (project: string) => ({ datasetId: project, query: { target: 'patient' } }),
      ],
    ] as const) {
      const replies = await Promise.all(
        [third, unknown].map((one) => app.call(method, path, { key: owned.key, body: bodyFor(one) })),
      );
      const [outOfView, missing] = replies.map(({ status, body }) => [status, body.code, body.error]);
      assert.deepEqual(outOfView, missing, `${method} ${path}`);
    }
    const named = await app.call('PATCH', `/v1/projects/${first}`, { key: reader.key, body: { name: 'x' } });
    assert.equal(named.status, 403);
  });

  test('activity lists own work in all projects by pages, newest first, and open work of others', async () => {
    const [first = '', second = ''] = made;
    const query = { datasetId: second, query: 'SELECT count(*) FROM patient', outputFileName: 'a.csv' };
    const asked = await app.call('POST', '/v1/analytics/data-lake/query', { key: other.key, body: query });
    const { id: cohort } = (
      await app.call('POST', '/v1/cohorts', { body: { name: 'C', ownerProject: first, subjectIds: ['p1'] } })
    ).body;
    const own = await list('activity');
    assert.deepEqual(
      own.map(({ kind, datasetId, state }: Record<string, string>) => [kind, datasetId, state]),
      [['cohort', first, 'succeeded'], ...made.toReversed().map((id) => ['ingestion', id, 'succeeded'])],
    );
    assert.deepEqual([own[0].id, own[0].what, own[0].projectName], [cohort, 'C', 'First']);
    const paged: string[] = [];
    for (let next: string | undefined = '/v1/activity?pageSize=1'; next; ) {
      const { body }: Reply = await app.call('GET', next);
      paged.push(...body.items.map(({ id }: { id: string }) => id));
      next = body.links.next;
    }
    assert.deepEqual(
      paged,
      own.map(({ id }: { id: string }) => id),
    );
    const [theirs, ...rest] = await list('activity', other.key);
    assert.deepEqual([theirs.id, theirs.what, rest], [asked.body.queryId, query.query, []]);
    assert.deepEqual(await list('activity', reader.key), []);
    await until(async () => (await list('activity?open=true')).length === 0, 'all has ended');
    assert.deepEqual(await list('activity?open=true', reader.key), []);
  });
});
