import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '@ploidy/policy';
import { describeApp, openTestApp } from '../../../../../../test/support/app.ts';
import { startPrepared } from '../../../../../../test/support/postgres.ts';
import { testOnDialect } from '../../../../../../test/support/records.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { insertPolicy } from './policies.ts';
import { accountLimits } from './stored-policies.ts';

const reading = { rules: { readData: [{ 'resource.dataset': { comparison: 'equals', value: 'p' } }] } };
const nothing = { rules: { nothing: true } };

describeApp('policies', (app) => {
  const create = (name: string, policy: unknown = reading) =>
    app.call('POST', '/v1/policies', { body: { name, policy } });
  const at = (idOrName: string) => `/v1/policies/${encodeURIComponent(idOrName)}`;
  const listed = async (query = ''): Promise<string[]> =>
    (await app.call('GET', `/v1/policies?pageSize=1000${query}`)).body.items.map(
      (one: { name: string }) => one.name,
    );

  test('a policy is created, read by id and by name, replaced, renamed and deleted', async () => {
    const made = await create('Räume/1 + 2%');
    assert.deepEqual(Object.keys(made.body), ['id', 'name', 'policy', 'groups', 'warnings']);
    assert.deepEqual(made.body.policy, reading);
    for (const path of [made.body.id, made.body.id.toUpperCase(), 'Räume/1 + 2%', 'RÄUME/1 + 2%']) {
      const read = await app.call('GET', at(path));
      assert.deepEqual({ ...read.body, warnings: [] }, made.body, path);
    }
    const renamed = await app.call('PUT', at('Räume/1 + 2%'), { body: { name: 'Rooms' } });
    assert.deepEqual(renamed.body, { ...made.body, name: 'Rooms' });
    const replaced = await app.call('PUT', at('Rooms'), { body: { policy: nothing } });
    const { warnings, groups, ...stored } = replaced.body;
    assert.deepEqual(stored, { id: made.body.id, name: 'Rooms', policy: nothing });
    assert.deepEqual([groups, warnings.length], [[], 1]);
    assert.equal((await app.call('GET', at('Räume/1 + 2%'))).status, 404);
    const gone = await app.call('DELETE', at('Rooms'));
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.equal((await app.call('DELETE', at(made.body.id))).status, 404);
  });

  test('the longest name is found in any spelling', async () => {
    const name = '\u{1f9ec}'.repeat(255);
    const made = await create(name);
    assert.equal(made.status, 200, made.text);
    assert.equal((await app.call('GET', at(made.body.id))).body.name, name);
    const ascii = await create('%'.repeat(255));
    assert.equal((await app.call('GET', at('%'.repeat(255)))).body.id, ascii.body.id);
  });

  test('names that lists would leave out are refused; an older one is read, renamed and deleted by its id', async () => {
    const unlisted = 'a\u{10ffff}b';
    const refused = await create(unlisted);
    assert.deepEqual(
      [refused.status, refused.body.details],
      [400, [{ path: 'body/name', message: 'holds a character that is not valid in a text' }]],
    );
    assert.equal((await create('a\u{10fffe}b')).status, 200);
    assert.ok((await listed('&name=a')).includes('a\u{10fffe}b'));
    const { records } = app.people;
    await records.transact((tx) => insertPolicy(tx, app.account, unlisted, nothing as Policy));
    const { id } = await records.read
      .selectFrom('policies')
      .select('id')
      .where('name', '=', unlisted)
      .executeTakeFirstOrThrow();
    assert.equal((await app.call('GET', at(id))).body.name, unlisted);
    assert.equal((await app.call('PUT', at(id), { body: { name: 'Renamed' } })).status, 200);
    assert.ok((await listed()).includes('Renamed'));
    assert.equal((await app.call('DELETE', at(id))).status, 204);
  });

  test('names are unique regardless of case, in the account alone, and never look like an id', async () => {
    await create('Taken');
    const again = await create('TAKEN');
    assert.deepEqual([again.status, again.body.code], [409, 'POLICY_EXISTS']);
    await create('Other');
    assert.equal((await app.call('PUT', at('Other'), { body: { name: 'taken' } })).status, 409);
    assert.equal((await app.call('PUT', at('Other'), { body: { name: 'OTHER' } })).body.name, 'OTHER');
    const owner = await app.people.owner('names');
    const elsewhere = { ...owner, body: { name: 'Taken', policy: nothing } };
    assert.equal((await app.call('POST', '/v1/policies', elsewhere)).status, 200);
    const id = newId();
    for (const name of [id, id.toUpperCase(), ` ${id}`]) {
      const refused = await create(name);
      assert.deepEqual([refused.status, refused.body.details[0].path], [400, 'body/name']);
    }
  });

  test('a document is validated strictly: every error has its path, and nothing is stored', async () => {
    const before = await listed();
    const policy = {
      rules: { readData: [{}, { 'resource.id': { comparison: 'equals', valeu: 'x' } }], createData: [] },
      more: 1,
    };
    for (const refused of [
      await create('Broken', policy),
      await app.call('PUT', at('User Access'), { body: { policy } }),
    ]) {
      assert.equal(refused.status, 400);
      assert.deepEqual(
        refused.body.details.map(({ path }: { path: string }) => path),
        [
          'body/policy.more',
          'body/policy.rules.readData[0]',
          'body/policy.rules.readData[1]["resource.id"].valeu',
          'body/policy.rules.readData[1]["resource.id"]',
          'body/policy.rules.createData',
        ],
      );
    }
    for (const one of [{}, [], 'x', null, { rules: [] }])
      assert.equal((await create('Broken', one)).status, 400);
    assert.equal((await app.call('PUT', at('User Access'), { body: { policy: {} } })).status, 400);
    assert.deepEqual(await listed(), before);
  });

  test('the list is by name, filtered by prefix, and its pages are complete while policies change', async () => {
    for (let at = 0; at < 12; at++) await create(`Page_${String(at).padStart(2, '0')}`);
    await create('PageX');
    const seen: string[] = [];
    let path = '/v1/policies?name=page_&pageSize=5';
    while (path) {
      const { body } = await app.call('GET', path);
      seen.push(...body.items.map((item: { name: string }) => item.name));
      await create(`Page_0${seen.length} late`);
      path = body.links.next ?? '';
    }
    assert.equal(new Set(seen).size, seen.length);
    for (let at = 0; at < 12; at++) assert.ok(seen.includes(`Page_${String(at).padStart(2, '0')}`));
    assert.ok(!seen.includes('PageX'));
  });

  test('a change takes effect at once, and an account keeps its owner', async () => {
    const member = await app.people.member(app.account, []);
    const sender = { key: member.key };
    const mine = { rules: { accessAdmin: [{ 'user.id': { comparison: 'equals', value: member.userId } }] } };
    const status = async () => (await app.call('GET', '/v1/policies', sender)).status;
    await until(async () => (await app.call('GET', '/v1/accounts', sender)).status === 200, 'the key works');
    assert.equal(await status(), 403);
    const { id } = (await create('Effect', mine)).body;
    assert.equal(await status(), 200);
    await app.call('PUT', at(id), { body: { policy: nothing } });
    assert.equal(await status(), 403);
    await app.call('PUT', at(id), { body: { policy: mine } });
    assert.equal(await status(), 200);
    await app.call('DELETE', at(id), sender);
    assert.equal(await status(), 403);
  });

  test('If-Match with an outdated state changes nothing', async () => {
    const made = await create('Matched');
    const etag = made.headers.get('etag') ?? '';
    assert.equal((await app.call('GET', at('Matched'))).headers.get('etag'), etag);
    const put = (tag: string, policy: unknown) =>
      app.call('PUT', at('Matched'), { body: { policy }, headers: { 'if-match': tag } });
    const changed = await put(etag, nothing);
    assert.equal(changed.status, 200);
    const late = await put(etag, reading);
    assert.deepEqual([late.status, late.body.code], [412, 'PRECONDITION_FAILED']);
    const removed = await app.call('DELETE', at('Matched'), { headers: { 'if-match': etag } });
    assert.equal(removed.status, 412);
    assert.deepEqual((await app.call('GET', at('Matched'))).body.policy, nothing);
    assert.equal((await put(`"x", ${changed.headers.get('etag')}`, reading)).status, 200);
    assert.equal((await put('*', nothing)).status, 200);
  });

  test('thirty concurrent changes: names stay unique, no change is lost, pages are complete', async () => {
    // Each has two requests at work, and a caller at most 65.
    const crowd = 30;
    const stays = Array.from({ length: 10 }, (_, n) => `Crowd stays ${n}`);
    for (const name of stays) await create(name);
    const replies = await Promise.all(
      Array.from({ length: crowd }, async (_, n) => {
        const shared = await create(`Crowd ${n % 10}`);
        const own = await create(`Crowd own ${n}`);
        const renamed = await app.call('PUT', at(own.body.id), { body: { name: `CROWD ${n % 10} again` } });
        const [one, two] = await Promise.all([
          app.call('PUT', at(own.body.id), { body: { name: `Crowd end ${n}` } }),
          app.call('PUT', at(own.body.id), { body: { policy: nothing } }),
        ]);
        const names: string[] = (
          await app.call('GET', '/v1/policies?name=crowd%20stays&pageSize=1000')
        ).body.items.map((item: { name: string }) => item.name);
        return { shared: shared.status, renamed: renamed.status, both: [one.status, two.status], names };
      }),
    );
    assert.equal(replies.filter(({ shared }) => shared === 200).length, 10);
    assert.ok(replies.every(({ shared, renamed }) => [shared, renamed].every((s) => s === 200 || s === 409)));
    for (const { both, names } of replies) {
      assert.deepEqual(both, [200, 200]);
      assert.deepEqual(names, stays);
    }
    const after = (await app.call('GET', '/v1/policies?name=crowd%20end&pageSize=1000')).body.items;
    assert.equal(after.length, crowd);
    for (const { policy } of after) assert.deepEqual(policy, nothing);
    const keys = (await listed()).map((name) => name.toLowerCase());
    assert.equal(new Set(keys).size, keys.length);
    const gone = await Promise.all(
      Array.from({ length: crowd }, (_, n) => app.call('DELETE', at(`Crowd end ${n % (crowd / 2)}`))),
    );
    assert.deepEqual(gone.map(({ status }) => status).sort(), [
      ...Array(crowd / 2).fill(204),
      ...Array(crowd / 2).fill(404),
    ]);
  });

  // asvs: 16.5.3
  test('an invalid stored document allows nothing, and other policies still apply', async () => {
    const { id } = (await create('Spoilt', { rules: { auditRead: true } })).body;
    const member = await app.people.member(app.account, []);
    const status = async () => (await app.call('GET', '/v1/audit-events', { key: member.key })).status;
    await until(async () => (await status()) === 200, 'the policy is in force');
    for (const document of ['{', '5', '{"rules":{"auditRead":true,"x":[]}}']) {
      await app.people.records.transact(async (tx) => {
        await tx.updateTable('policies').set({ document }).where('id', '=', id).execute();
        await app.people.records.announce(tx, `access:${app.account}`);
      });
      await until(async () => (await status()) === 403, `no right by ${document}`);
      assert.equal((await app.call('GET', at(id))).status, 200);
    }
    assert.equal((await app.call('DELETE', at(id))).status, 204);
  });

  test('rules that lists cannot plan in time are refused when stored', async () => {
    const owner = await app.people.owner('conditions');
    const make = (comparison: string) => {
      const of = Array.from({ length: 50 }, (_, at) => ({ comparison, value: `x${at}` }));
      const rules = Array.from({ length: 300 }, () => ({ 'resource.id': { comparison: 'all', of } }));
      const body = { name: comparison, policy: { rules: { readData: rules } } };
      return app.call('POST', '/v1/policies', { ...owner, body });
    };
    const refused = await make('prefixOf');
    assert.deepEqual([refused.status, refused.body.code], [409, 'POLICIES_LIMIT']);
    assert.match(refused.body.error, /readData have at most 1000 comparisons/);
    // Prefixes of one comparison count as one list.
    assert.equal((await make('startsWith')).status, 200);
    assert.equal((await app.call('GET', '/v1/projects', owner)).status, 200);
  });

  test('an account has limits for the number and the characters of its policies', async () => {
    const owner = await app.people.owner('limits');
    const make = (name: string, policy: unknown) =>
      app.call('POST', '/v1/policies', { ...owner, body: { name, policy } });
    const value = Array.from({ length: 9000 }, (_, n) => `${n}`.padStart(90, 'x'));
    const big = { rules: { readData: [{ 'resource.id': { comparison: 'in', value } }] } };
    assert.equal((await make('Big', big)).status, 200);
    const tooBig = await make('Bigger', big);
    assert.deepEqual([tooBig.status, tooBig.body.code], [409, 'POLICIES_LIMIT']);
    // Three come with the account, and one is big.
    const missing = accountLimits.policiesMax - 4;
    const { records } = app.people;
    await records.transact(async (tx) => {
      for (let at = 5; at < missing; at++) await insertPolicy(tx, 'limits', `Small ${at}`, nothing as Policy);
    });
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => make(`At once ${n}`, nothing)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      ...Array(5).fill(200),
      ...Array(5).fill(409),
    ]);
  });
});

testOnDialect('postgres', 'a change of policies takes effect in another process', async () => {
  const database = await startPrepared();
  const one = await openTestApp({ PLOIDY_DATABASE_URL: database.url });
  const other = await openTestApp({ PLOIDY_DATABASE_URL: database.url, PLOIDY_DATA_DIR: one.folder });
  try {
    const member = await one.people.member(one.account, []);
    const sender = { key: member.key, account: one.account };
    const status = async () => (await other.call('GET', '/v1/policies', sender)).status;
    assert.equal(await status(), 403);
    const policy = {
      rules: { accessAdmin: [{ 'user.id': { comparison: 'equals', value: member.userId } }] },
    };
    const made = await one.call('POST', '/v1/policies', { body: { name: 'Far', policy } });
    await until(async () => (await status()) === 200, 'the other process allows it');
    await one.call('DELETE', `/v1/policies/${made.body.id}`);
    await until(async () => (await status()) === 403, 'the other process refuses it');
  } finally {
    await other.stop();
    await one.stop();
    await database.stop();
  }
});
