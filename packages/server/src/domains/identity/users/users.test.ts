import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';

describeApp('users', (app) => {
  let one: Person;
  let two: Person;
  let stranger: Person;
  const call = (method: string, path: string, { key }: Person, body?: object): Promise<Reply> =>
    app.call(method, path, { key, account: undefined, ...(body && { body }) });
  const patch = (person: Person, profile: object) => call('PATCH', '/v1/user', person, { profile });

  before(async () => {
    one = await app.people.member(app.account, []);
    two = await app.people.member(app.account, []);
    stranger = await app.people.owner('strangers');
  });

  test('a profile is merged: absent fields stay, null and an empty string clear', async () => {
    const { email } = (await call('GET', '/v1/user', one)).body.profile;
    await patch(one, { name: 'Jane Doe', givenName: 'Jane', familyName: 'Doe', preferredUsername: 'jane' });
    const changed = await patch(one, {
      givenName: null,
      familyName: '',
      name: 'Jane D.',
      email,
      picture: null,
    });
    const expected = {
      id: one.userId,
      type: 'person',
      profile: { email, name: 'Jane D.', preferredUsername: 'jane' },
    };
    assert.deepEqual(changed.body, expected);
    assert.deepEqual((await call('GET', '/v1/user', one)).body, expected);
    assert.deepEqual((await call('GET', `/v1/users/${one.userId}`, one)).body, expected);
    assert.deepEqual((await call('GET', `/v1/users/${encodeURIComponent(email)}`, one)).body, expected);
  });

  test('e-mail address and picture stay unchanged, and fields that are too long or have line breaks are refused', async () => {
    const before = (await call('GET', '/v1/user', one)).body;
    for (const profile of [
      { email: 'other@clinic.test' },
      { email: null },
      { picture: 'https://elsewhere.test/a.png' },
      { name: 'x'.repeat(256) },
      { name: 'a\nb' },
      { name: ' ' },
      { name: 7 },
    ]) {
      const reply = await patch(one, { preferredUsername: 'never', ...profile });
      assert.equal(reply.status, 400, JSON.stringify(profile));
      assert.match(reply.body.details[0].path, /^body\/profile\//);
    }
    assert.equal((await call('PATCH', '/v1/user', one, {})).status, 400);
    assert.deepEqual((await call('GET', '/v1/user', one)).body, before);
  });

  test('concurrent changes of different fields are all kept', async () => {
    const fields = ['name', 'givenName', 'familyName', 'preferredUsername'];
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(fields.map((field) => patch(two, { [field]: `${field} ${round}` })));
      assert.ok(replies.every(({ status }) => status === 200));
      const { email: _, ...profile } = (await call('GET', '/v1/user', two)).body.profile;
      assert.deepEqual(profile, Object.fromEntries(fields.map((field) => [field, `${field} ${round}`])));
    }
  });

  // asvs: 15.3.1
  test('users who share an account see a limited profile, other users none', async () => {
    await patch(one, { name: 'Jane', givenName: 'Jane', familyName: 'Doe', preferredUsername: 'jd' });
    const seen = await call('GET', `/v1/users/${one.userId}`, two);
    assert.deepEqual(seen.body, {
      id: one.userId,
      type: 'person',
      profile: { name: 'Jane', preferredUsername: 'jd' },
    });
    const { email } = (await call('GET', '/v1/user', one)).body.profile;
    const texts = new Set<string>();
    for (const path of ['', '/groups', '/picture']) {
      for (const name of [one.userId, encodeURIComponent(email), 'nobody', 'nobody@nowhere.test']) {
        const reply = await call('GET', `/v1/users/${name}${path}`, stranger);
        assert.equal(reply.status, 404);
        texts.add(reply.text.replace(/"requestId":"[^"]*"/, ''));
      }
    }
    assert.equal(texts.size, 1);
  });

  test('users see their own groups only: other users of the account get 403', async () => {
    const own = await call('GET', `/v1/users/${one.userId}/groups`, one);
    assert.deepEqual(
      own.body.items.map(({ name, account }: Record<string, string>) => [account, name]),
      [[app.account, 'Subjects']],
    );
    assert.ok(own.body.links.self.startsWith('/v1/users/'));
    const others = await call('GET', `/v1/users/${one.userId}/groups`, two);
    assert.deepEqual([others.status, others.body.code], [403, 'ONLY_ONESELF']);
    const event = await app.people.records.read
      .selectFrom('audit_events')
      .select(['action', 'user_id'])
      .where('account_id', '=', app.account)
      .where('outcome', '=', 'refused')
      .where('resource_id', '=', one.userId)
      .executeTakeFirst();
    assert.deepEqual(event, { action: 'users.listGroups', user_id: two.userId });
  });

  test("with a key of one account a user of several sees that account's groups and members only", async () => {
    const elsewhere = await call('POST', '/v1/accounts', one, { name: 'Another account' });
    assert.equal(elsewhere.status, 200);
    const own = await call('GET', `/v1/users/${one.userId}/groups`, one);
    assert.deepEqual(
      own.body.items.map(({ account }: { account: string }) => account),
      [app.account],
    );
  });

  test("a user's own change is an event in each account, without its values", async () => {
    await patch(one, { name: 'words-of-a-profile' });
    const events = await app.people.records.read
      .selectFrom('audit_events')
      .select(['account_id', 'via', 'details'])
      .where('action', '=', 'users.updateSelf')
      .where('resource_id', '=', one.userId)
      .orderBy('at', 'desc')
      .limit(2)
      .execute();
    assert.deepEqual(
      events.map(({ account_id }) => account_id).sort(),
      ['another-account', app.account].sort(),
    );
    assert.ok(!JSON.stringify(events).includes('words-of-a-profile'));
    assert.equal(events.find(({ account_id }) => account_id === 'another-account')?.via, 'elsewhere');
  });
});
