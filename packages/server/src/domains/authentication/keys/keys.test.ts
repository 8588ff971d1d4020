import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { lockUser } from '../../identity/users/index.ts';
import { revokeKeysOf } from './keys.ts';

describeApp('API keys', (app) => {
  const make = (name: string, key = app.key) =>
    app.call('POST', '/v1/api-keys', { key, body: { name, expireInDays: 30 } });

  const idOf = (item: { id: string }) => item.id;

  test('a key is shown once, works, and is listed without its value', async () => {
    const made = await make('Mine');
    assert.equal(made.status, 200);
    assert.equal((await app.call('GET', '/v1/projects', { key: made.body.key })).status, 200);
    const list = await app.call('GET', '/v1/api-keys?pageSize=1000');
    const found = list.body.items.find((item: { id: string }) => item.id === made.body.id);
    assert.deepEqual(Object.keys(found).sort(), ['account', 'created', 'current', 'expires', 'id', 'name']);
    assert.ok(!list.text.includes(made.body.key));
  });

  test('a key works only as spelled at its creation', async () => {
    const { key } = (await make('Spelled')).body;
    assert.equal((await app.call('GET', '/v1/projects', { key })).status, 200);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = letters.indexOf(key.at(-1));
    for (const bits of [1, 2, 3]) {
      const other = `${key.slice(0, -1)}${letters[last ^ bits]}`;
      assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(key, 'base64url'), 'the same bytes');
      for (const spelled of [other, `${key}=`])
        assert.equal((await app.call('GET', '/v1/projects', { key: spelled })).status, 401);
    }
  });

  test('a key created with a key expires with it, at the latest, and cannot revoke it', async () => {
    const parent = (await make('Parent')).body;
    const body = { name: 'Child', expireInDays: 365 };
    const child = (await app.call('POST', '/v1/api-keys', { key: parent.key, body })).body;
    assert.equal(child.expires, parent.expires);
    const grandchild = (await make('Grandchild', child.key)).body;
    const revoke = (id: string, key: string) => app.call('DELETE', `/v1/api-keys/${id}`, { key });
    for (const id of [parent.id, child.id]) {
      const { status, body } = await revoke(id, grandchild.key);
      assert.deepEqual([status, body.code], [403, 'FORBIDDEN']);
    }
    const works = async (key: string) => (await app.call('GET', '/v1/projects', { key })).status;
    assert.deepEqual([await works(child.key), await works(grandchild.key)], [200, 200]);
    assert.equal((await revoke(parent.id, app.key)).status, 204);
    assert.deepEqual(
      [await works(parent.key), await works(child.key), await works(grandchild.key)],
      [401, 401, 401],
    );
  });

  test('a user has at most fifty valid keys in an account', async () => {
    const owner = await app.people.owner(`fifty-${app.folder.slice(-6).toLowerCase()}`);
    const asOwner = { key: owner.key, account: owner.account };
    const add = (at: number) =>
      app.call('POST', '/v1/api-keys', { ...asOwner, body: { name: `${at}`, expireInDays: 1 } });
    const made: string[] = [];
    for (let at = 1; at < 50; at += 1) made.push((await add(at)).body.id);
    const refused = await add(50);
    assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_KEYS']);
    assert.equal((await app.call('DELETE', `/v1/api-keys/${made[0]}`, asOwner)).status, 204);
    assert.equal((await add(51)).status, 200);
  });

  test('keys are listed in pages, newest last, and a concurrent revocation shifts none of the others', async () => {
    const owner = await app.people.owner(`many-keys-${app.folder.slice(-6).toLowerCase()}`);
    const asOwner = { key: owner.key, account: owner.account };
    const made: string[] = [];
    for (const name of ['1', '2', '3', '4', '5']) {
      const body = { name, expireInDays: 30 };
      made.push((await app.call('POST', '/v1/api-keys', { ...asOwner, body })).body.id);
    }
    const all = await app.call<'listApiKeys'>('GET', '/v1/api-keys', asOwner);
    assert.deepEqual(all.body.links, { self: '/v1/api-keys' });
    assert.deepEqual(all.body.items.slice(1).map(idOf), made, 'the first is the owner’s own');
    const current = all.body.items.map(({ current }) => current);
    assert.deepEqual(current, [true, false, false, false, false, false], 'a key finds its own expiry');
    const seen: string[] = [];
    let next: string | undefined = '/v1/api-keys?pageSize=2&nextPageToken=';
    while (next !== undefined) {
      const { status, body }: Reply = await app.call('GET', next, asOwner);
      assert.deepEqual([status, body.items.length], [200, 2], next);
      seen.push(...body.items.map(idOf));
      next = body.links.next;
      if (seen.at(-1) === made[0])
        assert.equal((await app.call('DELETE', `/v1/api-keys/${made[0]}`, asOwner)).status, 204);
    }
    assert.deepEqual(seen, all.body.items.map(idOf));
    const { links } = (await app.call('GET', '/v1/api-keys?pageSize=1', asOwner)).body;
    assert.equal((await app.call('GET', links.next)).status, 400, 'a token is of its user');
    for (const query of ['pageSize=0', 'pageSize=1001', 'nextPageToken=x'])
      assert.equal((await app.call('GET', `/v1/api-keys?${query}`, asOwner)).status, 400, query);
  });

  test('a revoked key stops working at once, everywhere', async () => {
    const made = await make('Short');
    assert.equal((await app.call('GET', '/v1/accounts', { key: made.body.key })).status, 200);
    assert.equal((await app.call('DELETE', `/v1/api-keys/${made.body.id}`)).status, 204);
    assert.equal((await app.call('GET', '/v1/accounts', { key: made.body.key })).status, 401);
    assert.equal((await app.call('DELETE', `/v1/api-keys/${made.body.id}`)).status, 404);
  });

  test('a key that another process revokes stops working with its announcement', async () => {
    const made = await make('Other process');
    assert.equal((await app.call('GET', '/v1/accounts', { key: made.body.key })).status, 200);
    await app.people.records.transact(async (tx) => {
      await tx
        .updateTable('api_keys')
        .set({ revoked_at: Date.now() })
        .where('id', '=', made.body.id)
        .execute();
      await app.people.records.announce(tx, `key:${made.body.id}`);
    });
    const answer = () => app.call('GET', '/v1/accounts', { key: made.body.key });
    await until(async () => (await answer()).status === 401, 'a revoked key is refused');
  });

  test('a user neither sees nor revokes the keys of others', async () => {
    const mine = await make('Private');
    const other = await app.people.member(app.account, ['readData']);
    const list = () => app.call('GET', '/v1/api-keys', { key: other.key });
    await until(async () => (await list()).status === 200, 'the new member is known');
    assert.equal((await list()).body.items.length, 1);
    assert.equal((await app.call('DELETE', `/v1/api-keys/${mine.body.id}`, { key: other.key })).status, 404);
  });

  test('a key works in its account only', async () => {
    const owner = await app.people.owner('second');
    const inOther = await app.call('GET', '/v1/projects', { key: owner.key, account: app.account });
    assert.equal(inOther.status, 404);
    const accounts = await app.call('GET', '/v1/accounts', { key: owner.key });
    assert.deepEqual(
      accounts.body.accounts.map((account: { id: string }) => account.id),
      ['second'],
    );
  });

  test('without apiKeyUser a request with a key is refused', async () => {
    const owner = await app.people.owner('no-keys');
    const request = { key: owner.key, account: 'no-keys' };
    assert.equal((await app.call('GET', '/v1/projects', request)).status, 200);
    await app.people.records.transact(async (tx) => {
      await tx.deleteFrom('policies').where('account_id', '=', 'no-keys').execute();
      await app.people.records.announce(tx, 'access:no-keys');
    });
    const code = async () => (await app.call('GET', '/v1/projects', request)).body.code;
    await until(async () => (await code()) === 'API_KEYS_REFUSED', 'keys are refused');
  });

  test('a foreign token is 401, whatever its claims', async () => {
    const claims = JSON.parse(Buffer.from(app.key.split('.')[1] ?? '', 'base64url').toString());
    const secret = new TextEncoder().encode('x'.repeat(32));
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'api-key+jwt' })
      .sign(secret);
    const [head = '', body = '', signature = ''] = app.key.split('.');
    const none = `${Buffer.from('{"alg":"none","typ":"api-key+jwt"}').toString('base64url')}.${body}.`;
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody' })).toString('base64url');
    for (const key of [forged, none, `${head}.${other}.${signature}`, `${head}.${body}.AAAA`]) {
      assert.equal((await app.call('GET', '/v1/accounts', { key })).status, 401);
    }
  });

  test('the lifetime is between a day and a year', async () => {
    for (const expireInDays of [0, 366, 1.5, '30']) {
      const reply = await app.call('POST', '/v1/api-keys', { body: { name: 'x', expireInDays } });
      assert.equal(reply.status, 400);
    }
  });

  test('a key created while its user leaves the account or loses all keys does not survive', async () => {
    const { records } = app.people;
    const leave = async (user: string): Promise<void> => {
      const groups = await records.read
        .selectFrom('group_members')
        .selectAll()
        .where('user_id', '=', user)
        .execute();
      for (const { group_id } of groups)
        await app.call('DELETE', `/v1/account/groups/${group_id}/members/${user}`);
    };
    const revoke = (user: string): Promise<number> =>
      records.transact(async (tx) => {
        await lockUser(tx, user);
        const revoked = await revokeKeysOf(tx, user);
        await records.announce(tx, `user:${user}`);
        return revoked;
      });
    for (const end of [leave, revoke])
      for (let round = 0; round < 5; round += 1) {
        const { userId, key } = await app.people.member(app.account, []);
        const makes = () => Array.from({ length: 8 }, (_, at) => make(`Meanwhile ${at}`, key));
        await Promise.all([...makes(), end(userId), ...makes()]);
        const left = await records.read
          .selectFrom('api_keys')
          .select('id')
          .where('user_id', '=', userId)
          .where('revoked_at', 'is', null)
          .execute();
        assert.deepEqual(left, [], end.name);
      }
  });
});
