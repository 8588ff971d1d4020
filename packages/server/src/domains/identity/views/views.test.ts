import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Call, TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { type CallOptions, describeApp } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';

const rows = '/v1/analytics/data-lake/rows';

describeApp('looking as another member', (app) => {
  let project: TestProject;
  let here: object;
  let limited: Person;
  let masked: Person;

  before(async () => {
    project = await TestProject.make(app.call, 'Looked at');
    await TestProject.make(app.call, 'Elsewhere');
    await project.take('p.ndjson', fhirText('p', 3, 1));
    here = { 'resource.dataset': { comparison: 'equals', value: project.id } };
    const one = { ...here, 'resource.subject': { comparison: 'equals', value: 'p-1' } };
    limited = await app.people.member(app.account, ['readData'], one);
    masked = await app.people.member(app.account, ['readMaskedData'], here);
  });

  const begin = (user: string, options: CallOptions = {}) =>
    app.call('POST', '/v1/account/views', { ...options, body: { user } });
  const asIn =
    (token: string) =>
    (method: string, path: string, options: CallOptions = {}) =>
      app.call(method, path, { ...options, headers: { ...options.headers, 'ploidy-view': token } });
  const patients = async (call: Call) => {
    const body = { query: 'SELECT patient_id FROM patient ORDER BY 1', datasetId: project.id };
    const reply = await call('POST', rows, { body });
    return reply.status === 200 ? reply.body.rows.flat() : reply.body.code;
  };

  test('rows, files and projects are those of the member, and the log names both', async () => {
    const view = await begin(limited.userId);
    assert.equal(view.status, 200, view.text);
    const call = asIn(view.body.token);
    assert.deepEqual(await patients(call), ['p-1']);
    const names = (await call('GET', '/v1/projects')).body.items.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Looked at']);
    assert.equal((await call('GET', '/v1/user')).body.id, limited.userId);
    assert.deepEqual((await call('GET', '/v1/account/users')).body.items[0]?.groups, undefined);
    const other = asIn((await begin(masked.userId)).body.token);
    const ids = await patients(other);
    assert.equal(ids.length, 3);
    assert.ok(!ids.includes('p-1'));
    const { items } = (await app.call('GET', '/v1/audit-events?pageSize=100')).body;
    const begun = items.find((one: { action: string }) => one.action === 'users.view');
    assert.deepEqual([begun.outcome, begun.resource.id], ['done', masked.userId]);
    const read = items.find((one: { via: string }) => one.via.endsWith(` as ${limited.userId}`));
    assert.equal(read.userId, begun.userId);
  });

  test('nothing is changed or begun, and credentials are not listed', async () => {
    const call = asIn((await begin(limited.userId)).body.token);
    const refused = [
      await call('POST', '/v1/projects', { body: { name: 'New' } }),
      await call('POST', '/v1/files', { body: { name: 'a', datasetId: project.id } }),
      await call('DELETE', `/v1/projects/${project.id}`),
      await call('POST', '/v1/account/views', { body: { user: masked.userId } }),
      await call('GET', `/v1/projects/${project.id}/fhir/$export`, { headers: { prefer: 'respond-async' } }),
      await call('GET', '/v1/api-keys'),
      await call('GET', '/v1/sessions'),
    ];
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'VIEW_READS_ONLY']);
    assert.equal((await call('GET', '/v1/policies')).status, 403);
  });

  test('a view has no right that its administrator lacks', async () => {
    const some = await app.people.member(app.account, ['accountAdmin', 'accessAdmin']);
    const two = { 'resource.subject': { comparison: 'in', value: ['p-1', 'p-2'] } };
    const policy = {
      rules: { readData: [{ 'user.id': { comparison: 'equals', value: some.userId }, ...two }] },
    };
    const made = await app.call('POST', '/v1/policies', { body: { name: 'Some patients', policy } });
    assert.equal(made.status, 200, made.text);
    const whole = await app.people.member(app.account, ['readData'], here);
    const of = async (user: string) => {
      const call = asIn((await begin(user, { key: some.key })).body.token);
      return patients((method, path, options) => call(method, path, { key: some.key, ...options }));
    };
    assert.deepEqual(await of(whole.userId), ['p-1', 'p-2']);
    assert.deepEqual(await of(limited.userId), ['p-1']);
    assert.equal((await of(masked.userId)).length, 2);
  });

  test('only members are looked as, with accountAdmin and accessAdmin, in one account', async () => {
    const stranger = await app.people.owner('viewed-elsewhere');
    assert.equal((await begin(stranger.userId)).status, 404);
    assert.equal((await begin(limited.userId, { ...stranger })).status, 404);
    for (const right of ['accountAdmin', 'accessAdmin'] as const) {
      const half = await app.people.member(app.account, [right]);
      assert.equal((await begin(limited.userId, { key: half.key })).status, 403);
    }
    const { token } = (await begin(limited.userId)).body;
    const foreign = await asIn(token)('GET', '/v1/projects', { account: stranger.account });
    assert.equal(foreign.status, 404);
    const other = await app.call('GET', '/v1/projects', { ...stranger, headers: { 'ploidy-view': token } });
    assert.deepEqual([other.status, other.body.code], [403, 'VIEW_ENDED']);
  });

  test('a view ends with the right of its administrator and with the membership', async () => {
    const administrator = await app.people.member(app.account, ['accountAdmin', 'accessAdmin', 'readData']);
    const { key } = administrator;
    const leaving = await app.people.member(app.account, ['readData'], here);
    const call = asIn((await begin(leaving.userId, { key })).body.token);
    const second = asIn((await begin(limited.userId, { key })).body.token);
    assert.equal((await call('GET', '/v1/projects', { key })).status, 200);
    const groups = (await app.call('GET', '/v1/account/groups')).body.items;
    const subjects = groups.find(({ name }: { name: string }) => name === 'Subjects').id;
    await app.call('DELETE', `/v1/account/groups/${subjects}/members/${leaving.userId}`);
    assert.equal((await call('GET', '/v1/projects', { key })).body.code, 'VIEW_ENDED');
    assert.equal((await second('GET', '/v1/projects', { key })).status, 200);
    const keys = { apiKeyUser: [{ 'user.id': { comparison: 'equals', value: administrator.userId } }] };
    await app.people.withdraw(administrator);
    await app.call('POST', '/v1/policies', { body: { name: 'Keys', policy: { rules: keys } } });
    assert.equal((await second('GET', '/v1/projects', { key })).body.code, 'VIEW_ENDED');
  });
});
