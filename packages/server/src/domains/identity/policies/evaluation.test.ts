import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { compilePolicy, type Policy } from '@ploidy/policy';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';
import { Callers } from '../callers/index.ts';
import { Evaluation } from './evaluation.ts';

describeApp('evaluated policy and reasons', (app) => {
  const ofProject = { 'resource.dataset': { comparison: 'equals', value: 'p1' } };
  const forPeople = { allowedOAuthFlows: ['code'], callbackUrls: ['https://app.example/callback'] };
  let member: Person;
  let stranger: Person;

  before(async () => {
    member = await app.people.member(app.account, ['readData'], ofProject);
    stranger = await app.people.owner('elsewhere');
    await until(async () => (await evaluated({ key: member.key })).status === 200, 'the key works');
  });

  const evaluated = (options: { key?: string; account?: string | undefined } = {}, query = '') =>
    app.call('GET', `/v1/evaluated-policy${query}`, options);
  const explain = (body: object, options: { key?: string; account?: string } = {}) =>
    app.call('POST', '/v1/policies/explain', { body, ...options });

  test('the evaluated policy holds the remaining rules of the caller, and nothing about users', async () => {
    const own = await evaluated({ key: member.key });
    assert.deepEqual(Object.keys(own.body), ['rules']);
    assert.deepEqual(own.body.rules.readData, [
      ofProject,
      { 'resource.ownerId': { comparison: 'equals', value: member.userId } },
    ]);
    assert.equal(own.body.rules.apiKeyUser, true);
    assert.equal(own.body.rules.accessAdmin, undefined);
    assert.ok(!own.text.includes('user.'));
    const admin = await evaluated();
    assert.equal(admin.body.rules.accessAdmin, true);
    assert.deepEqual((await evaluated({ account: undefined })).body, admin.body);
  });

  test('a rule on the address of a user applies to that user only', async () => {
    const { id } = await app.people.link('addressed@main.test');
    const addressed = { 'user.email': { comparison: 'equals', value: 'addressed@main.test' } };
    const policy = { name: 'By address', policy: { rules: { auditRead: [addressed] } } };
    const made = await app.call('POST', '/v1/policies', { body: policy });
    assert.equal(made.status, 200, made.text);
    const own = await evaluated({ key: await app.people.key(id, app.account) });
    assert.equal(own.body.rules.auditRead, true);
    assert.equal((await evaluated({ key: member.key })).body.rules.auditRead, undefined);
    await app.call('DELETE', `/v1/policies/${made.body.id}`);
  });

  test('for an account without the caller there is none', async () => {
    for (const account of ['elsewhere', 'nobody-has-this']) {
      assert.equal((await evaluated({ account })).status, 404);
    }
  });

  test('evaluating another member needs accessAdmin, by id or address; other users are not found', async () => {
    const { email = '' } =
      (await app.people.records.read
        .selectFrom('users')
        .select('email')
        .where('id', '=', member.userId)
        .executeTakeFirst()) ?? {};
    const own = (await evaluated({ key: member.key })).body;
    for (const user of [member.userId, email, email.toUpperCase()]) {
      assert.deepEqual((await evaluated({}, `?user=${encodeURIComponent(user)}`)).body, own);
      assert.deepEqual((await evaluated({ key: member.key }, `?user=${encodeURIComponent(user)}`)).body, own);
    }
    const unknown = await evaluated({}, '?user=nobody@x');
    const foreign = await evaluated({}, `?user=${stranger.userId}`);
    assert.deepEqual([unknown.status, foreign.status], [404, 404]);
    for (const user of ['admin@localhost', 'nobody@x', stranger.userId]) {
      assert.equal((await evaluated({ key: member.key }, `?user=${user}`)).status, 403);
    }
  });

  test('over several accounts, each one’s rules test for that account', async () => {
    const { records } = app.people;
    await records.transact((tx) =>
      tx.updateTable('accounts').set({ owner_id: member.userId }).where('id', '=', 'elsewhere').execute(),
    );
    const principal = { userId: member.userId, via: 'session', keyAccount: undefined };
    const caller = await new Callers(records).resolve(principal);
    assert.ok(caller);
    const evaluation = new Evaluation(records);
    const all: Policy = evaluation.ofCaller(caller, '');
    assert.deepEqual(all.rules['accessAdmin'], [
      { 'resource.account': { comparison: 'equals', value: 'elsewhere' } },
    ]);
    const { allows } = compilePolicy(all);
    const on = (account: string) => ({ resource: { account, dataset: 'p1' } });
    assert.ok(allows('readData', on(app.account)));
    assert.ok(!allows('readData', on('elsewhere')));
    assert.ok(!allows('accessAdmin', on(app.account)));
    assert.deepEqual(evaluation.ofCaller(caller, 'elsewhere').rules['accessAdmin'], true);
  });

  test('a group of another account has no effect', async () => {
    const { records } = app.people;
    const { id = '' } =
      (await records.read
        .selectFrom('groups')
        .select('id')
        .where('account_id', '=', 'elsewhere')
        .executeTakeFirst()) ?? {};
    await records.transact((tx) =>
      tx
        .insertInto('group_members')
        .values({ group_id: id, account_id: 'elsewhere', user_id: member.userId, added_at: 0 })
        .execute(),
    );
    const policy = { rules: { auditRead: [{ 'user.groups': { comparison: 'includes', value: id } }] } };
    assert.equal((await app.call('POST', '/v1/policies', { body: { name: 'Foreign', policy } })).status, 200);
    const principal = { userId: member.userId, via: 'session', keyAccount: undefined };
    const caller = await new Callers(records).resolve(principal);
    const log = (account: string) => ({ account, type: 'audit' as const, id: account });
    assert.equal(caller?.isMember('elsewhere'), true);
    assert.equal(caller?.allows('auditRead', log(app.account)), false);
  });

  test('an explanation shows the matching rule, or the missing conditions', async () => {
    const admin = await explain({ privilege: 'readData', resource: { dataset: 'p1' } });
    assert.equal(admin.body.allowed, true);
    assert.ok(admin.body.because.includes('allowed by policy Administrator Access, rule 1'), admin.text);
    const owner = await explain({ privilege: 'accessAdmin' });
    assert.ok(owner.body.because.includes('allowed by policy of the owner (built in), without conditions'));
    const own = { privilege: 'readData', resource: { dataset: 'p2', id: 'x' } };
    const refused = await explain(own, { key: member.key });
    assert.equal(refused.body.allowed, false);
    assert.match(refused.body.because.join('\n'), /`resource\.dataset` is not equal to "p1"/);
    const allowed = await explain({ ...own, resource: { dataset: 'p1' } }, { key: member.key });
    assert.equal(allowed.body.allowed, true);
  });

  test('an explanation without a type points to the rows of some patients that rules open', async () => {
    const { key, userId } = await app.people.member(app.account, ['readMaskedData'], {
      'resource.dataset': { comparison: 'equals', value: 'p3' },
      'resource.subject': { comparison: 'in', value: ['patient-1'] },
    });
    const question = { user: userId, privilege: 'readMaskedData', resource: { dataset: 'p3' } };
    const hint = ['rows of some patients are open to this user: ask with `type` "table"'];
    const open = await explain(question);
    assert.deepEqual([open.body.allowed, open.body.because], [false, hint]);
    assert.deepEqual((await explain({ ...question, user: undefined }, { key })).body.because, hint);
    const rows = await explain({ ...question, resource: { dataset: 'p3', type: 'table' } });
    assert.equal(rows.body.allowed, true);
    const elsewhere = await explain({ ...question, resource: { dataset: 'p4' } });
    assert.match(elsewhere.body.because.join(), /`resource\.dataset` is not equal to "p3"/);
  });

  test('an OAuth client that acts for itself is explained by its id, in its own account only', async () => {
    const body = { name: 'Nightly', allowedOAuthFlows: ['client_credentials'], generateSecret: true };
    const { id } = (await app.call('POST', '/v1/clients', { body })).body;
    const rule = { ...ofProject, 'user.id': { comparison: 'equals', value: id } };
    const policy = { name: 'Nightly', policy: { rules: { readData: [rule] } } };
    assert.equal((await app.call('POST', '/v1/policies', { body: policy })).status, 200);
    const question = { user: id, privilege: 'readData', resource: { dataset: 'p1' } };
    assert.deepEqual((await explain(question)).body.because, ['allowed by policy Nightly, rule 1']);
    assert.equal((await explain(question, { key: stranger.key, account: 'elsewhere' })).status, 404);
    const people = (await app.call('POST', '/v1/clients', { body: { ...body, ...forPeople } })).body;
    assert.equal((await explain({ ...question, user: people.id })).status, 404);
  });

  test('without accessAdmin rules and policies about others stay hidden', async () => {
    const other = await app.people.member(app.account, ['readData', 'auditRead']);
    for (const privilege of ['readData', 'auditRead', 'accessAdmin']) {
      const { text } = await explain({ privilege }, { key: member.key });
      assert.ok(!text.includes(other.userId), text);
      assert.ok(!text.includes('Administrator Access'), text);
    }
    const whole = await explain({ privilege: 'auditRead', user: member.userId });
    assert.ok(whole.text.includes(other.userId));
  });

  test('explaining another member needs accessAdmin, and the account is the named one', async () => {
    const question = { privilege: 'readData', resource: { dataset: 'p1' } };
    assert.equal((await explain({ ...question, user: member.userId })).body.allowed, true);
    const refused = await explain({ ...question, user: 'admin@localhost' }, { key: member.key });
    assert.equal(refused.status, 403);
    assert.equal((await explain({ ...question, user: 'nobody@x' })).status, 404);
    const elsewhere = await explain({ ...question, resource: { account: 'elsewhere' } });
    assert.deepEqual([elsewhere.status, elsewhere.body.details[0].path], [400, 'body/resource/account']);
    assert.equal((await explain({ ...question, resource: { account: app.account } })).status, 200);
    assert.equal((await explain(question, { account: 'elsewhere' })).status, 404);
  });
});
