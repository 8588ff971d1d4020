import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { describeApp } from '../../../../../test/support/app.ts';
import { HeldRemovals } from '../../../../../test/support/held-removals.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Caller } from '../../access/caller.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { Audit } from '../audit/index.ts';
import { Ehrs } from './ehrs.ts';

const base = { name: 'Ward', apiBaseUrl: 'https://ehr.example/fhir' };

describeApp('EHR systems', (app) => {
  const create = async (body: object) => {
    const made = await app.call('POST', '/v1/ehrs', { body });
    assert.equal(made.status, 201, made.text);
    return made.body;
  };

  test('a configuration has every field of the specification, and defaults for absent ones', async () => {
    const given = {
      ...base,
      ehrType: 'Epic',
      apiKey: 'the-key',
      apiSecret: 'the-secret',
      apiAuthType: 'basic',
      ingestionModel: 'SYNCHRONOUS',
      delayBetweenRecords: 12.5,
    };
    const made = await create(given);
    const { id, creator, created, updated, ...rest } = made;
    assert.deepEqual(rest, given);
    assert.deepEqual([creator, created], [(await app.call('GET', '/v1/user')).body.id, updated]);
    assert.deepEqual((await app.call('GET', `/v1/ehrs/${id}`)).body, made);
    const plain = await create(base);
    assert.deepEqual(
      [plain.ehrType, plain.apiAuthType, plain.ingestionModel, plain.delayBetweenRecords, plain.apiKey],
      ['FHIR', 'header', 'ASYNCHRONOUS', 0, undefined],
    );
  });

  test('lists of configurations show neither keys nor secrets, page by page', async () => {
    for (let index = 0; index < 3; index += 1) await create({ ...base, apiKey: `listed-key-${index}` });
    const first = await app.call('GET', '/v1/ehrs?pageSize=2');
    assert.equal(first.body.items.length, 2);
    const second = await app.call('GET', first.body.links.next);
    assert.ok(second.body.items.length > 0);
    for (const { text } of [first, second]) assert.doesNotMatch(text, /apiKey|apiSecret|listed-key/);
    assert.ok(first.body.items.every((item: { creator: string }) => item.creator));
  });

  for (const method of ['UPDATE', 'PUT', 'PATCH'])
    test(`${method} changes the given fields and keeps the rest; null clears`, async () => {
      const made = await create({ ...base, apiKey: 'kept', apiSecret: 'cleared', ehrType: 'Kept' });
      const change = { name: 'Renamed', apiSecret: null, delayBetweenRecords: 5 };
      const changed = await app.call(method, `/v1/ehrs/${made.id}`, { body: change });
      assert.equal(changed.status, 200, changed.text);
      const { apiSecret: _, ...rest } = made;
      const expected = { ...rest, name: 'Renamed', delayBetweenRecords: 5, updated: changed.body.updated };
      assert.deepEqual(changed.body, expected);
      assert.deepEqual((await app.call('GET', `/v1/ehrs/${made.id}`)).body, expected);
      assert.equal((await app.call(method, '/v1/ehrs/nothing', { body: {} })).status, 404);
    });

  test('DELETE is 204 without a body, then 404', async () => {
    const { id } = await create(base);
    const gone = await app.call('DELETE', `/v1/ehrs/${id}`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.equal((await app.call('DELETE', `/v1/ehrs/${id}`)).status, 404);
    assert.equal((await app.call('GET', `/v1/ehrs/${id}`)).status, 404);
  });

  test('an invalid configuration is refused with every error at once', async () => {
    for (const [body, ...paths] of [
      [{ ...base, apiBaseUrl: 'http://ehr.example/fhir' }, 'body/apiBaseUrl'],
      [{ ...base, apiBaseUrl: 'ehr.example' }, 'body/apiBaseUrl'],
      [{ ...base, apiBaseUrl: 'file:///etc/passwd' }, 'body/apiBaseUrl'],
      [{ ...base, apiBaseUrl: 'https://user:word@ehr.example/' }, 'body/apiBaseUrl'],
      [{ ...base, apiBaseUrl: 'https://ehr.example/fhir?x=1' }, 'body/apiBaseUrl'],
      [{ ...base, apiAuthType: 'oauth2' }, 'body/apiKey', 'body/apiSecret'],
      [{ ...base, apiAuthType: 'basic', apiKey: 'a:b', apiBaseUrl: 'x' }, 'body/apiBaseUrl', 'body/apiKey'],
      [{ ...base, apiKey: 'über' }, 'body/apiKey'],
      [{ ...base, apiKey: 'a\r\nHost: b' }, 'body/apiKey'],
      [{ ...base, apiAuthType: 'none' }, 'body/apiAuthType'],
      [{ ...base, ingestionModel: 'LATER' }, 'body/ingestionModel'],
      [{ ...base, delayBetweenRecords: -1 }, 'body/delayBetweenRecords'],
      [{ ...base, delayBetweenRecords: '5' }, 'body/delayBetweenRecords'],
      [{ ...base, name: ' ' }, 'body/name'],
      [{ ...base, name: 'x'.repeat(256) }, 'body/name'],
    ] as const) {
      const refused = await app.call('POST', '/v1/ehrs', { body });
      assert.equal(refused.status, 400, JSON.stringify(body));
      const found = refused.body.details.map(({ path }: { path: string }) => path);
      for (const path of paths)
        assert.ok(
          found.some((one: string) => one.startsWith(path)),
          `${path} in ${refused.text}`,
        );
    }
    const { id } = await create(base);
    const refused = await app.call('UPDATE', `/v1/ehrs/${id}`, { body: { apiAuthType: 'oauth2' } });
    assert.equal(refused.status, 400);
  });

  test('a schedule names a project of the account, for which createData is needed', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Scheduled' } })).body.id;
    const schedule = { cron: '15 3 * * *', datasetId: project };
    const made = await create({ ...base, schedule });
    assert.equal(made.schedule.cron, '15 3 * * *');
    assert.match(made.schedule.next, /T03:15:00\.000Z$/);
    const path = `/v1/ehrs/${made.id}`;
    const elsewhere = { schedule: { ...schedule, datasetId: '01990000-0000-7000-8000-000000000001' } };
    assert.equal((await app.call('PUT', path, { body: elsewhere })).status, 404);
    const never = { schedule: { ...schedule, cron: '0 0 30 2 *' } };
    assert.equal((await app.call('PUT', path, { body: never })).status, 400);
    const administrator = await app.people.member(app.account, ['accountAdmin']);
    const sender = { key: administrator.key, account: app.account };
    const moved = { apiBaseUrl: 'https://another.example/fhir' };
    for (const body of [{ schedule }, moved])
      assert.equal((await app.call('PUT', path, { ...sender, body })).status, 403);
    assert.equal((await app.call('PUT', path, { ...sender, body: { name: 'Other' } })).status, 200);
    const cleared = await app.call('PUT', path, { ...sender, body: { schedule: null } });
    assert.deepEqual([cleared.status, cleared.body.schedule], [200, undefined]);
  });

  test('a concurrent address and schedule do not fill a project without the right of the address’s caller', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'At once' } })).body.id;
    const { records } = app.people;
    const outbound = { faultIn: () => undefined };
    const ehrs = new Ehrs({ records, secrets: {} as Secrets, audit: new Audit(records), outbound });
    const { id, creator } = await create(base);
    const asked = await ehrs.find(id);
    assert.ok(asked);
    const by = { caller: { userId: creator, via: 'test' } as unknown as Caller, requestId: 'r' };
    const move = (ehr: typeof asked) => ehrs.update(ehr, { apiBaseUrl: 'https://other.example/fhir' }, by);
    const schedule = { cron: '15 3 * * *', datasetId: project };
    await app.call('PATCH', `/v1/ehrs/${id}`, { body: { schedule } });
    await assert.rejects(move(asked), { status: 409, code: 'EHR_CHANGED' });
    const present = await ehrs.find(id);
    assert.equal(present?.api_base_url, base.apiBaseUrl);
    await app.call('PATCH', `/v1/ehrs/${id}`, { body: { schedule: null } });
    assert.equal((await move(present)).api_base_url, 'https://other.example/fhir', 'nothing is filled now');
  });

  test('a removed project ends its schedule, and the configuration can still be changed', async () => {
    const project = (await app.call('POST', '/v1/projects', { body: { name: 'Going' } })).body.id;
    const schedule = { cron: '15 3 * * *', datasetId: project };
    const { id } = await create({ ...base, schedule });
    const move = (host: string, more: object = {}) =>
      app.call('PATCH', `/v1/ehrs/${id}`, { body: { apiBaseUrl: `https://${host}.example/fhir`, ...more } });
    const present = async () => (await app.call('GET', `/v1/ehrs/${id}`)).body;

    assert.equal((await app.call('DELETE', `/v1/projects/${project}`)).status, 204);
    assert.equal((await move('pending')).body.schedule.datasetId, project, 'it may be restored');
    const removals = new HeldRemovals(app.people.records);
    await removals.begin('project', project);
    assert.equal((await move('gone', { schedule })).status, 404);
    assert.equal((await move('gone')).status, 200);
    await removals.letGo();
    await until(async () => (await present()).schedule === undefined, 'the schedule has ended');
    assert.equal((await present()).apiBaseUrl, 'https://gone.example/fhir');
  });

  test('each read of a secret is recorded in the audit log, and no event holds one', async () => {
    const { id } = await create({ ...base, apiKey: 'audited-key' });
    await app.call('GET', `/v1/ehrs/${id}`);
    await app.call('PATCH', `/v1/ehrs/${id}`, { body: { apiKey: 'audited-key-2', name: 'New' } });
    const log = await app.call('GET', `/v1/audit-events?resource=ehr:${id}`);
    const events = log.body.items.map(({ action }: { action: string }) => action).reverse();
    assert.deepEqual(events, ['ehrs.create', 'ehrs.read', 'ehrs.update']);
    assert.equal(log.body.items[0].details.fields, 'apiKey name');
    assert.doesNotMatch(log.text, /audited-key/);
  });

  test('UPDATE works on the wire: kept alive, pipelined, cut anywhere, without a body, and from curl', async () => {
    const { id } = await create(base);
    const { hostname, port } = new URL(app.address);
    const request = (method: string, body?: object) => {
      const text = body ? JSON.stringify(body) : '';
      const type = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : '';
      return `${method} /v1/ehrs/${id} HTTP/1.1\r\nhost: x\r\nauthorization: ${app.key}\r\nservice-account: ${app.account}\r\n${type}\r\n${text}`;
    };
    const all = [
      request('UPDATE', { name: 'First UPDATE' }),
      request('GET'),
      request('UPDATE', { ehrType: 'UPDATE / HTTP/1.1' }),
      request('UPDATE', {}),
      request('UPDATE'),
      request('GET'),
    ].join('');
    const statuses = await new Promise<string[]>((done, fail) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => {
        socket.setNoDelay(true);
        for (let at = 0; at < all.length; at += 97) socket.write(all.slice(at, at + 97));
      });
      socket.on('error', fail).on('data', (data) => {
        text += data;
        const found = text.match(/HTTP\/1\.1 \d+/g) ?? [];
        if (found.length < 6 || !text.endsWith('}')) return;
        socket.destroy();
        done(found.map((line) => line.slice(9)));
      });
    });
    assert.deepEqual(statuses, ['200', '200', '200', '200', '200', '200']);
    const headers = ['-H', `authorization: ${app.key}`, '-H', `service-account: ${app.account}`];
    const body = ['-H', 'content-type: application/json', '-d', '{"name":"By curl"}'];
    const url = `${app.address}/v1/ehrs/${id}`;
    const { stdout } = await promisify(execFile)('curl', ['-s', '-X', 'UPDATE', ...headers, ...body, url]);
    assert.deepEqual([JSON.parse(stdout).name, JSON.parse(stdout).ehrType], ['By curl', 'UPDATE / HTTP/1.1']);
  });

  for (const apiBaseUrl of [
    'https://127.0.0.1/fhir',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[fd12::1]/fhir',
    'http://localhost/fhir',
  ])
    test(`an address in a private network is refused with the setting it needs, and never requested: ${apiBaseUrl}`, async () => {
      const { id } = await create({ ...base, ingestionModel: 'SYNCHRONOUS' });
      for (const [method, path] of [
        ['POST', '/v1/ehrs'],
        ['PATCH', `/v1/ehrs/${id}`],
      ] as const) {
        const refused = await app.call(method, path, { body: { ...base, apiBaseUrl } });
        assert.deepEqual([refused.status, refused.body.details?.[0].path], [400, 'body/apiBaseUrl']);
        assert.match(refused.body.error, /PLOIDY_ALLOW_PRIVATE_HOSTS=true/);
      }
      // As if created while the setting was on.
      await app.people.records.transact((tx) =>
        tx.updateTable('ehrs').set({ api_base_url: apiBaseUrl }).where('id', '=', id).execute(),
      );
      const project = (await app.call('POST', '/v1/projects', { body: { name: apiBaseUrl } })).body.id;
      const sync = await app.call('POST', `/v1/ehrs/${id}/sync`, { body: { datasetId: project } });
      assert.deepEqual([sync.status, sync.body.state, sync.body.error.code], [200, 'failed', 'UNUSABLE']);
      assert.match(sync.body.error.message, /PLOIDY_ALLOW_PRIVATE_HOSTS=true/);
    });
});
