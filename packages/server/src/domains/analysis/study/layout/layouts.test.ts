import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../../test/support/app.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { newId } from '../../../../base/ids.ts';

describeApp('layouts of studies', (app) => {
  let project: string;
  const keys: Record<string, string> = {};

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Layouts' } })).body.id;
    for (const right of ['readData', 'readMaskedData', 'projectAdmin', 'createData'] as const)
      keys[right] = (await app.people.member(app.account, [right])).key;
  });

  const call = (method: string, scope: string, key?: string, charts?: object[]): Promise<Reply> =>
    app.call(method, `/v1/analytics/study/layout?datasetId=${project}${scope && `&scope=${scope}`}`, {
      ...(key !== undefined && { key }),
      ...(charts && { body: { charts } }),
    });
  const chart = (id: string) => ({ id, width: 2, height: 1, position: 0 });
  const idsFor = async (key?: string, scope = ''): Promise<string[] | undefined> =>
    (await call('GET', scope, key)).body.charts?.map(({ id }: { id: string }) => id);

  test('a person sees the own layout, else that of the project, else none', async () => {
    assert.deepEqual((await call('GET', '')).body, {});
    const shared = await call('PUT', 'project', undefined, [chart('sex')]);
    assert.equal(shared.status, 200, shared.text);
    assert.deepEqual((await call('GET', '', keys['readMaskedData'])).body, shared.body);
    const own = await call('PUT', 'person', keys['readMaskedData'], [chart('age')]);
    assert.equal(own.body.scope, 'person');
    assert.deepEqual(await idsFor(keys['readMaskedData']), ['age']);
    assert.deepEqual(await idsFor(keys['readMaskedData'], 'project'), ['sex']);
    assert.deepEqual(await idsFor(keys['readData']), ['sex']);
    assert.equal(await idsFor(keys['readData'], 'person'), undefined);
    await call('PUT', '', keys['readMaskedData'], [chart('stage'), chart('age')]);
    assert.deepEqual(await idsFor(keys['readMaskedData']), ['stage', 'age']);
    assert.equal((await call('DELETE', '', keys['readMaskedData'])).status, 204);
    assert.deepEqual(await idsFor(keys['readMaskedData']), ['sex']);
    assert.equal((await call('DELETE', '', keys['readMaskedData'])).status, 204);
  });

  test('readers save own layouts only; the shared one needs updateData or projectAdmin', async () => {
    const updater = await app.people.member(app.account, ['readData', 'updateData']);
    for (const key of [keys['projectAdmin'], updater.key])
      assert.equal((await call('PUT', 'project', key, [])).status, 200);
    for (const method of ['PUT', 'DELETE']) {
      const reply = await call(method, 'project', keys['readData'], method === 'PUT' ? [] : undefined);
      assert.equal(reply.status, 403);
    }
    assert.equal((await call('PUT', 'person', keys['createData'], [])).status, 403);
    assert.equal((await call('GET', 'project', keys['createData'])).status, 403);
    const stranger = await app.people.owner(`strangers-${newId()}`);
    assert.equal((await call('GET', '', stranger.key)).status, 404);
  });

  test('a reader of one patient keeps an own layout', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p1' } };
    const { key } = await app.people.member(app.account, ['readData', 'updateData'], rule);
    assert.equal((await call('PUT', '', key, [chart('mine')])).status, 200);
    assert.deepEqual(await idsFor(key), ['mine']);
    assert.equal((await call('PUT', 'project', key, [])).status, 403);
  });

  test('sizes, places and ids beyond the limits are 400 with their place', async () => {
    const faults: [object[], string][] = [
      [[chart('a'), chart('a')], 'body/charts/1/id'],
      [[{ ...chart('a'), width: 13 }], 'body/charts/0/width'],
      [[{ ...chart('a'), position: -1 }], 'body/charts/0/position'],
      [[{ ...chart('x'.repeat(256)) }], 'body/charts/0/id'],
      [Array.from({ length: 201 }, (_, at) => chart(String(at))), 'body/charts'],
    ];
    for (const [charts, path] of faults) {
      const { status, body } = await call('PUT', '', undefined, charts);
      assert.deepEqual([status, body.details?.[0]?.path], [400, path]);
    }
  });

  test('layouts are removed with their project', async () => {
    const made = (await app.call('POST', '/v1/projects', { body: { name: newId() } })).body.id;
    const path = `/v1/analytics/study/layout?datasetId=${made}`;
    await app.call('PUT', path, { body: { charts: [] } });
    assert.equal((await app.call('DELETE', `/v1/projects/${made}?force=true`)).status, 204);
    assert.equal((await app.call('PUT', path, { body: { charts: [] } })).status, 404);
    const rows = () =>
      app.people.records.read
        .selectFrom('study_layouts')
        .select('id')
        .where('project_id', '=', made)
        .execute();
    await until(async () => (await rows()).length === 0, 'the removal of the layout');
  });
});
