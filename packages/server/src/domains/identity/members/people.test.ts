import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';
import { insertPolicy } from '../policies/index.ts';

const path = '/v1/account/users';

describeApp('members of an account', (app) => {
  let jane: Person;
  let john: Person;
  const call = (
    method: string,
    to: string,
    key: string | undefined = app.key,
    body?: object,
  ): Promise<Reply> => app.call(method, to, { key, ...(body && { body }) });
  const rename = ({ key }: Person, profile: object) => call('PATCH', '/v1/user', key, { profile });
  const write = (user: string, customAttributes: object, key?: string) =>
    call('PUT', `${path}/${user}/attributes`, key, { customAttributes });
  const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: { id: string }) => id);

  before(async () => {
    jane = await app.people.member(app.account, []);
    john = await app.people.member(app.account, []);
    await rename(jane, { name: 'Jane Müller', familyName: 'Müller', preferredUsername: 'jm_100%' });
    await rename(john, { name: 'John Doe', familyName: 'Doe' });
  });

  // asvs: 8.2.3
  test('an administrator sees all members with e-mail address and groups, others limited profiles', async () => {
    const all = await call('GET', path);
    assert.equal(all.body.items.length, 3);
    assert.equal(all.body.items.filter(({ owner }: { owner: boolean }) => owner).length, 1);
    for (const { profile, groups } of all.body.items) assert.ok(profile.email && groups.length > 0);
    const seen = await call('GET', path, jane.key);
    assert.deepEqual(idsOf(seen), idsOf(all));
    for (const person of seen.body.items) {
      const own = person.id === jane.userId;
      assert.equal(person.profile.email !== undefined, own);
      assert.equal(person.groups !== undefined, own);
      assert.equal(person.profile.familyName !== undefined, own);
    }
  });

  test('members are found by a prefix of any name, and by that of an e-mail address only by administrators', async () => {
    const find = async (name: string, key?: string) => idsOf(await call('GET', `${path}?name=${name}`, key));
    for (const name of ['jane', 'M%C3%9CL', 'jm_1', 'jm_100%25'])
      assert.deepEqual(await find(name), [jane.userId], name);
    for (const name of ['ane', '%25', '_', '%5C', 'jm%251', 'x%0Ajane'])
      assert.deepEqual(await find(name), [], name);
    const { email } = (await call('GET', '/v1/user', john.key)).body.profile;
    assert.deepEqual(await find(encodeURIComponent(email.slice(0, 36).toUpperCase())), [john.userId]);
    assert.deepEqual(await find(encodeURIComponent(email), jane.key), []);
    assert.deepEqual(await find('doe', jane.key), [john.userId]);
    await rename(john, { familyName: null, name: 'John' });
    assert.deepEqual(await find('doe'), []);
    await rename(john, { familyName: 'Doe' });
  });

  test('the list is paged, complete and without repetition while members are added', async () => {
    const before = idsOf(await call('GET', `${path}?pageSize=1000`));
    const seen: string[] = [];
    for (let next = `${path}?pageSize=1`; next; ) {
      const page = await call('GET', next);
      seen.push(...idsOf(page));
      next = page.body.links.next;
      if (seen.length < 3) await app.people.member(app.account, []);
    }
    for (const id of before) assert.ok(seen.includes(id));
    assert.equal(new Set(seen).size, seen.length);
  });

  test('attributes of a member apply to policies at once', async () => {
    await addRules('projectAdmin', [
      { 'user.customAttributes.role.name': { comparison: 'equals', value: 'planner' } },
    ]);
    const plan = () => uses('projectAdmin', jane);
    assert.equal(await plan(), 403);
    const written = await write(jane.userId, { role: { name: 'planner' }, floors: [1, 2] });
    assert.deepEqual(written.body, { customAttributes: { role: { name: 'planner' }, floors: [1, 2] } });
    assert.equal(await plan(), 200);
    assert.deepEqual((await call('GET', `${path}/${jane.userId}/attributes`)).body, written.body);
    const evaluated = async () =>
      (await call('GET', `/v1/evaluated-policy?user=${jane.userId}`)).body.rules.projectAdmin;
    assert.equal(await evaluated(), true);
    await write(jane.userId, {});
    assert.equal(await plan(), 403);
    assert.equal(await evaluated(), undefined);
  });

  test('attributes and groups of one account apply in no other', async () => {
    const made = await call('POST', '/v1/accounts', jane.key, { id: 'janes', name: 'Of Jane' });
    assert.equal(made.status, 200);
    const groupId = (await groupOf('janes', 'Users')).id;
    await addRules('accountAdmin', [
      { 'user.customAttributes.trusted': { comparison: 'equals', value: true } },
      { 'user.groups': { comparison: 'includes', value: groupId } },
    ]);
    await app.people.records.transact(async (tx) => {
      const row = { user_id: jane.userId, account_id: 'janes', document: '{"trusted":true}', updated_at: 1 };
      await tx.insertInto('user_attributes').values(row).execute();
      const inGroup = { user_id: jane.userId, account_id: 'janes', group_id: groupId, added_at: 1 };
      await tx.insertInto('group_members').values(inGroup).execute();
      await app.people.records.announce(tx, `user:${jane.userId}`);
    });
    assert.equal(await uses('accountAdmin', jane), 403);
  });

  test('attributes need accessAdmin, a member of the account, and a form that policies can test', async () => {
    assert.equal((await write(jane.userId, { a: 1 }, john.key)).status, 403);
    assert.equal((await call('GET', `${path}/${jane.userId}/attributes`, jane.key)).status, 403);
    const stranger = await app.people.owner('strangers');
    assert.equal((await write(stranger.userId, { a: 1 })).status, 404);
    for (const attributes of [
      { 'a.b': 1 },
      { '': 1 },
      { ['n'.repeat(129)]: 1 },
      { long: 'x'.repeat(17_000) },
      { deep: nested(9) },
      Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`n${at}`, at])),
    ]) {
      const reply = await write(jane.userId, attributes);
      assert.equal(reply.status, 400, JSON.stringify(attributes).slice(0, 50));
      assert.equal(reply.body.details[0].path, 'body/customAttributes');
    }
    assert.equal((await call('PUT', `${path}/${jane.userId}/attributes`, app.key, {})).status, 400);
    assert.equal((await write(jane.userId, { deep: nested(7) })).status, 200);
  });

  test('an event names the attributes and holds none of their values', async () => {
    await write(john.userId, { ward: 'value-of-an-attribute' });
    const event = await app.people.records.read
      .selectFrom('audit_events')
      .select(['details'])
      .where('action', '=', 'members.writeAttributes')
      .where('resource_id', '=', john.userId)
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(event.details), { count: 1, names: 'ward' });
  });

  test('attributes cannot remove the last administrator', async () => {
    const owner = await app.people.owner('by-attribute');
    const ask = (method: string, to: string, body: object) =>
      app.call(method, to, { key: owner.key, account: 'by-attribute', body });
    const { id } = await groupOf('by-attribute', 'Administrators');
    await app.people.records.transact(async (tx) => {
      const chief = { 'user.customAttributes.chief': { comparison: 'equals', value: true } };
      const document = JSON.stringify({ rules: { accessAdmin: [chief], apiKeyUser: true } });
      await tx.updateTable('policies').set({ document }).where('document', 'like', `%${id}%`).execute();
      await app.people.records.announce(tx, 'access:by-attribute');
    });
    const attributes = `${path}/${owner.userId}/attributes`;
    assert.equal((await ask('PUT', attributes, { customAttributes: { chief: true } })).status, 200);
    const reply = await ask('PUT', attributes, { customAttributes: {} });
    assert.deepEqual([reply.status, reply.body.code], [409, 'LAST_ADMINISTRATOR']);
  });

  async function groupOf(account: string, name: string): Promise<{ id: string }> {
    return app.people.records.read
      .selectFrom('groups')
      .select('id')
      .where('account_id', '=', account)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
  }

  /** Uses a privilege; returns the status. */
  async function uses(privilege: 'projectAdmin' | 'accountAdmin', { key }: Person): Promise<number> {
    const reply =
      privilege === 'projectAdmin'
        ? await call('POST', '/v1/projects', key, { name: `Plan ${Math.random()}` })
        : await call('PATCH', `/v1/accounts/${app.account}`, key, { name: 'Renamed' });
    return reply.status;
  }

  /** Adds rules as another process would, and one for John, which shows when the service has them. */
  async function addRules(privilege: 'projectAdmin' | 'accountAdmin', rules: object[]): Promise<void> {
    const forJohn = { 'user.id': { comparison: 'equals', value: john.userId } };
    const policy = { rules: { [privilege]: [...rules, forJohn] } };
    await app.people.records.transact(async (tx) => {
      await insertPolicy(tx, app.account, privilege, policy as never);
      await app.people.records.announce(tx, `access:${app.account}`);
    });
    await until(async () => (await uses(privilege, john)) === 200, 'the new policy');
  }
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { in: nested(depth - 1) };
}
