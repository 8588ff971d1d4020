import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import type { Preview } from './preview.ts';
import { Previews } from './preview.ts';

describeApp('previews of policy changes', (app) => {
  let owner: Person;
  let member: Person;
  const account = 'tried';
  const forUser = (id: string, more: object = {}) => [
    { 'user.id': { comparison: 'equals', value: id }, ...more },
  ];
  const preview = (changes: object[], key = owner.key) =>
    app.call('POST', '/v1/policies/preview', { key, account, body: { changes } });
  const changesOf = ({ items }: Preview, id: string) =>
    items
      .find(({ user }) => user.id === id)
      ?.privileges.map(({ privilege, change }) => `${privilege} ${change}`);
  const policiesNow = async () =>
    (await app.call('GET', '/v1/policies?pageSize=1000', { key: owner.key, account })).text;

  before(async () => {
    owner = await app.people.owner(account);
    member = await app.people.member(account, ['accessAdmin', 'readData']);
    await until(
      async () => (await preview([{ delete: 'User Access' }], member.key)).status === 200,
      'the key',
    );
  });

  test('a preview lists gains and losses with the rules before and after, and stores nothing', async () => {
    const stored = await policiesNow();
    const bound = { 'resource.dataset': { comparison: 'equals', value: 'p1' } };
    const rules = { createData: forUser(member.userId, bound), nothing: true };
    const made = (await preview([{ create: { name: 'New', policy: { rules } } }])).body;
    assert.deepEqual(changesOf(made, member.userId), ['createData gained', 'nothing gained']);
    assert.deepEqual(changesOf(made, owner.userId), ['nothing gained']);
    const [gained] = made.items.find(
      ({ user }: { user: { id: string } }) => user.id === member.userId,
    ).privileges;
    assert.deepEqual([gained.before, gained.after], [false, [bound]]);
    assert.deepEqual([made.users, made.examined, made.affected, made.complete], [2, 2, 2, true]);
    const codes = made.warnings.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ['UNKNOWN_PRIVILEGE']);
    assert.equal(await policiesNow(), stored);
  });

  test('several changes are evaluated together, and equal results are no change', async () => {
    const policy = { rules: { createData: forUser(member.userId) } };
    const back = [
      { create: { name: 'X', policy } },
      { replace: { policyId: 'x', name: 'Y' } },
      { delete: 'Y' },
    ];
    const { affected, items } = (await preview(back)).body;
    assert.deepEqual([affected, items], [0, []]);
    const reader = await app.people.member(account, ['readData'], {
      'resource.dataset': { comparison: 'equals', value: 'p1' },
    });
    const wider = { rules: { readData: true } };
    const both = (await preview([{ create: { name: 'All', policy: wider } }, { delete: 'User Access' }]))
      .body;
    assert.deepEqual(changesOf(both, reader.userId), ['readData widened']);
    assert.deepEqual(changesOf(both, member.userId), undefined);
  });

  test('a preview warns when only the owner, or no longer the caller, would administer', async () => {
    const email = (
      await app.call('GET', '/v1/policies?pageSize=1000', { key: owner.key, account })
    ).body.items
      .map(({ name }: { name: string }) => name)
      .find((name: string) => name.includes('@'));
    const { warnings } = (await preview([{ delete: email }], member.key)).body;
    assert.deepEqual(
      warnings.map(({ code }: { code: string }) => code),
      ['ONLY_OWNER_ADMINISTERS', 'YOU_LOSE_ACCESS_ADMIN', 'YOU_LOSE_API_KEYS'],
    );
    const byOwner = (await preview([{ delete: email }, { delete: 'Administrator Access' }])).body;
    assert.deepEqual(changesOf(byOwner, member.userId), [
      'accessAdmin lost',
      'apiKeyUser lost',
      'readData narrowed',
    ]);
    assert.ok(!changesOf(byOwner, owner.userId)?.includes('accessAdmin lost'));
  });

  test('an invalid change cannot be previewed', async () => {
    const policy = { rules: { readData: [{}] } };
    const broken = await preview([
      { create: { name: 'x', policy } },
      {},
      { delete: 'a', replace: { policyId: 'b' } },
    ]);
    assert.deepEqual(
      broken.body.details.map(({ path }: { path: string }) => path),
      ['body/changes/0/create/policy.rules.readData[0]', 'body/changes/1', 'body/changes/2'],
    );
    const valid = { rules: { x: true } };
    assert.equal((await preview([{ delete: 'nothing of this name' }])).status, 404);
    assert.equal((await preview([{ create: { name: 'user ACCESS', policy: valid } }])).status, 409);
    assert.equal((await preview([])).status, 400);
    const outsider = await app.people.member(account, ['readData']);
    assert.equal((await preview([{ delete: 'User Access' }], outsider.key)).status, 403);
  });

  test('ten thousand members are compared without blocking others; omissions are reported', async () => {
    const { records } = app.people;
    await app.people.owner('crowded');
    const group = newId();
    const ids = Array.from({ length: 10_000 }, () => newId());
    await records.transact(async (tx) => {
      const base = { account_id: 'crowded', name: 'All', name_key: 'all', description: '', type: 'closed' };
      await tx
        .insertInto('groups')
        .values({ id: group, ...base, created_at: 0 })
        .execute();
      for (let at = 0; at < ids.length; at += 1000) {
        const some = ids.slice(at, at + 1000);
        const users = some.map((id) => ({
          id,
          email: `${id}@crowd.test`,
          type: 'person',
          profile: '{}',
          name_keys: '',
          password_hash: null,
          created_at: 0,
        }));
        await tx.insertInto('users').values(users).execute();
        const members = some.map((user_id) => ({
          group_id: group,
          user_id,
          account_id: 'crowded',
          added_at: 0,
        }));
        await tx.insertInto('group_members').values(members).execute();
      }
    });
    const rules = {
      rules: { readData: [{ 'user.groups': { comparison: 'includes' as const, value: group } }] },
    };
    const changes = [{ create: { name: 'Everybody', policy: rules } }];
    const { signal } = new AbortController();
    const whole = await new Previews(records).run('crowded', changes, 'nobody', signal);
    assert.deepEqual(
      [whole.users, whole.examined, whole.affected, whole.items.length, whole.complete],
      [10_001, 10_001, 10_000, 1000, false],
    );
    const little = new Previews(records, { workMax: 100_000, itemsMax: 5, answerCharactersMax: 700 });
    const part = await little.run('crowded', changes, ids[7] ?? '', signal);
    assert.ok(part.examined < 10_001 && part.examined > 1);
    assert.ok(part.items.length < 5 && !part.complete);
    assert.ok(part.items.some(({ user }) => user.id === ids[7]));
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(new Previews(records).run('crowded', changes, 'nobody', gone), /gone/);
    const leaving = new AbortController();
    const limits = {
      itemsMax: 1000,
      answerCharactersMax: 4_000_000,
      // Read when the comparison begins: the abort gets its turn only if the comparison yields.
      get workMax() {
        setImmediate(() => leaving.abort(new Error('left')));
        return 200_000_000;
      },
    };
    const left = new Previews(records, limits).run('crowded', changes, 'nobody', leaving.signal);
    await assert.rejects(left, /left/);
  });
});
