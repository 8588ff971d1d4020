import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';

const groups = '/v1/account/groups';

describeApp(
  'members of groups',
  (app) => {
    let account: string;
    let owner: Person;
    const call = (method: string, path: string, key = owner.key, body?: object): Promise<Reply> =>
      app.call(method, path, { key, account, ...(body && { body }) });
    const groupId = async (name: string): Promise<string> =>
      (await call('GET', `${groups}?name=${name}`)).body.items[0].id;
    const make = async (name: string, type = 'closed'): Promise<string> =>
      (await call('POST', groups, owner.key, { name, type })).body.id;
    const idsIn = async (group: string): Promise<string[]> =>
      (await call('GET', `${groups}/${group}/members?pageSize=1000`)).body.items.map(
        ({ id }: { id: string }) => id,
      );
    const join = (group: string, user: string, key = owner.key) =>
      call('PUT', `${groups}/${group}/members/${user}`, key);
    const leave = (group: string, user: string, key = owner.key) =>
      call('DELETE', `${groups}/${group}/members/${user}`, key);
    /** Makes a user as another process would, and waits until the service has the policies. */
    const member = async (privileges: Parameters<typeof app.people.member>[1] = []): Promise<Person> => {
      const person = await app.people.member(account, privileges);
      await until(async () => (await call('GET', groups, person.key)).status === 200, 'a key that works');
      return person;
    };
    const administrator = async (): Promise<Person> => {
      const person = await member();
      assert.equal((await join(await groupId('Administrators'), person.userId)).status, 204);
      return person;
    };

    before(async () => {
      account = 'clinic';
      owner = await app.people.owner(account);
    });

    test('a member of the account is added to a group by id or e-mail address, and removed by either', async () => {
      const group = await make('Both ways');
      const person = await member();
      const { email } = (await call('GET', '/v1/user', person.key)).body.profile;
      assert.equal((await join(group, encodeURIComponent(email.toUpperCase()))).status, 204);
      assert.equal((await join(group, person.userId)).status, 204);
      assert.deepEqual(await idsIn(group), [person.userId]);
      const query = `${groups}/${group}/members?username=${encodeURIComponent(email)}`;
      assert.equal((await call('DELETE', query)).status, 204);
      assert.equal((await call('DELETE', query)).status, 404);
      assert.equal((await call('DELETE', `${groups}/${group}/members`)).status, 400);
      assert.deepEqual(await idsIn(group), []);
      const { items } = (await call('GET', '/v1/account/users?pageSize=1000')).body;
      assert.deepEqual(
        items
          .find(({ id }: { id: string }) => id === person.userId)
          .groups.map(({ name }: { name: string }) => name),
        ['Subjects'],
      );
    });

    test('a user outside the account cannot be added to a group: 404, as for an unknown one', async () => {
      const group = await make('For our own');
      const stranger = await app.people.owner('other-clinic');
      const replies = [await join(group, stranger.userId), await join(group, 'nobody@nowhere.test')];
      const texts = replies.map(({ status, text }) => `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`);
      assert.equal(new Set(texts).size, 1);
      assert.equal(replies[0]?.status, 404);
      assert.deepEqual(await idsIn(group), []);
    });

    test('a manager of the group sees full profiles of its members, others limited ones and their own', async () => {
      const subjects = await groupId('Subjects');
      const [one, two] = [await member(), await member()];
      const list = async (key: string) =>
        (await call('GET', `${groups}/${subjects}/members?pageSize=1000`, key)).body.items;
      assert.ok((await list(owner.key)).every(({ profile }: Reply['body']) => profile.email));
      const seen = await list(one.key);
      const emails = seen.filter(({ profile }: Reply['body']) => profile.email);
      assert.deepEqual(
        emails.map(({ id }: { id: string }) => id),
        [one.userId],
      );
      assert.ok(seen.some(({ id }: { id: string }) => id === two.userId));
    });

    test('users join open groups themselves, and leave any', async () => {
      const [open, closed] = [await make('Open door', 'open'), await make('Shut door')];
      const [one, two] = [await member(), await member()];
      assert.equal((await join(open, one.userId, one.key)).status, 204);
      assert.equal((await join(open, two.userId, one.key)).status, 403);
      assert.equal((await leave(open, one.userId, two.key)).status, 403);
      assert.equal((await join(closed, one.userId, one.key)).status, 404);
      await join(closed, one.userId);
      assert.equal((await leave(closed, one.userId, one.key)).status, 204);
      assert.equal((await join(closed, one.userId, one.key)).status, 404);
      assert.equal((await leave(open, one.userId, one.key)).status, 204);
      assert.equal((await leave(open, one.userId, one.key)).status, 404);
    });

    test('the rights of a group apply from the next request on, and end with membership', async () => {
      const person = await member();
      const administrators = await groupId('Administrators');
      const may = async () =>
        (await call('POST', '/v1/projects', person.key, { name: `p${Math.random()}` })).status;
      assert.equal(await may(), 403);
      await join(administrators, person.userId);
      assert.equal(await may(), 200);
      await leave(administrators, person.userId);
      assert.equal(await may(), 403);
      const special = await make('Deleted under them');
      await join(special, person.userId);
      assert.equal((await call('GET', `${groups}/${special}`, person.key)).status, 200);
      assert.equal((await call('DELETE', `${groups}/${special}`)).status, 204);
      const own = await call('GET', `/v1/users/${person.userId}/groups`, person.key);
      assert.deepEqual(
        own.body.items.map(({ name }: { name: string }) => name),
        ['Subjects'],
      );
    });

    // asvs: 7.4.2
    test('leaving the last group ends membership of the account, all its keys and its attributes of the user', async () => {
      const person = await member();
      const other = await make('The only other group');
      await join(other, person.userId);
      await leave(await groupId('Subjects'), person.userId);
      assert.equal((await call('GET', groups, person.key)).status, 200);
      const attributes = { customAttributes: { floor: 3 } };
      await call('PUT', `/v1/account/users/${person.userId}/attributes`, owner.key, attributes);
      assert.equal((await call('DELETE', `${groups}/${other}`)).status, 204);
      assert.equal((await call('GET', groups, person.key)).status, 401);
      assert.equal((await call('GET', `/v1/users/${person.userId}`)).status, 404);
      assert.equal((await call('GET', `/v1/account/users/${person.userId}/attributes`)).status, 404);
      const { records } = app.people;
      for (const table of ['user_attributes', 'group_members'] as const) {
        const left = await records.read
          .selectFrom(table)
          .selectAll()
          .where('user_id', '=', person.userId)
          .execute();
        assert.deepEqual(left, [], table);
      }
    });

    test('the last administrator cannot leave in any way', async () => {
      const id = 'one-admin';
      const admin = await app.people.owner(id);
      const ask = (method: string, path: string, body?: object) =>
        app.call(method, path, { key: admin.key, account: id, ...(body && { body }) });
      const administrators = (await ask('GET', `${groups}?name=Admin`)).body.items[0].id;
      for (const path of [`${administrators}/members/${admin.userId}`, administrators]) {
        const reply = await ask('DELETE', `${groups}/${path}`);
        assert.deepEqual([reply.status, reply.body.code], [409, 'LAST_ADMINISTRATOR']);
      }
      const second = await app.people.member(id, ['accessAdmin']);
      await until(
        async () => (await app.call('GET', groups, { key: second.key, account: id })).status === 200,
        'a key that works',
      );
      assert.equal((await ask('DELETE', `${groups}/${administrators}/members/${admin.userId}`)).status, 204);
      const asSecond = { key: second.key, account: id };
      const subjects = (await app.call('GET', `${groups}?name=Subj`, asSecond)).body.items[0].id;
      const last = await app.call('DELETE', `${groups}/${subjects}/members/${second.userId}`, asSecond);
      assert.deepEqual([last.status, last.body.code], [409, 'LAST_ADMINISTRATOR']);
    });

    test('one of two administrators who remove each other concurrently succeeds', async () => {
      for (let round = 0; round < 10; round++) {
        const id = `duel-${round}`;
        const founder = await app.people.owner(id);
        const ask = (method: string, path: string, key: string) =>
          app.call(method, path, { key, account: id });
        const [administrators, subjects] = (await ask('GET', groups, founder.key)).body.items.map(
          (group: { id: string }) => group.id,
        );
        const second = await app.people.member(id, []);
        await ask('PUT', `${groups}/${administrators}/members/${second.userId}`, founder.key);
        await until(async () => (await ask('GET', groups, second.key)).status === 200, 'a key that works');
        assert.ok(subjects);
        const replies = await Promise.all([
          ask('DELETE', `${groups}/${administrators}/members/${second.userId}`, founder.key),
          ask('DELETE', `${groups}/${administrators}/members/${founder.userId}`, second.key),
        ]);
        const statuses = replies.map(({ status }) => status);
        assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join());
        const left = await app.people.records.read
          .selectFrom('group_members')
          .select('user_id')
          .where('group_id', '=', administrators)
          .execute();
        assert.equal(left.length, 1);
      }
    });

    test('50 clients that join and leave concurrently are in the group once or not at all, by their last response', async () => {
      const group = await make('Revolving door', 'open');
      const people: Person[] = [];
      for (let at = 0; at < 10; at++) people.push(await member());
      const rounds = Array.from({ length: 50 }, async (_, at) => {
        const { userId, key } = people[at % people.length] as Person;
        const replies = [
          await join(group, userId, key),
          await leave(group, userId, key),
          await join(group, userId, key),
        ];
        for (const { status, text } of replies) assert.ok([204, 404].includes(status), text);
      });
      await Promise.all(rounds);
      const rows = await app.people.records.read
        .selectFrom('group_members')
        .select('user_id')
        .where('group_id', '=', group)
        .execute();
      const ids = rows.map(({ user_id }) => user_id);
      assert.equal(new Set(ids).size, ids.length);
      await Promise.all(people.map(({ userId, key }) => join(group, userId, key)));
      assert.deepEqual(await idsIn(group), people.map(({ userId }) => userId).sort());
    });

    test('joining a group during its deletion leaves no membership without a group', async () => {
      const person = await member();
      for (let round = 0; round < 10; round++) {
        const group = await make(`Short-lived ${round}`, 'open');
        const [joined] = await Promise.all([
          join(group, person.userId, person.key),
          call('DELETE', `${groups}/${group}`),
        ]);
        assert.ok([204, 404].includes(joined.status), joined.text);
        const rows = await app.people.records.read
          .selectFrom('group_members')
          .select('user_id')
          .where('group_id', '=', group)
          .execute();
        assert.deepEqual(rows, []);
      }
    });

    test('the list of members is complete while others join and leave', async () => {
      const group = await make('Walked through', 'open');
      const people: Person[] = [];
      for (let at = 0; at < 12; at++) people.push(await member());
      const [staying, moving] = [people.slice(0, 8), people.slice(8)];
      await Promise.all(staying.map(({ userId }) => join(group, userId)));
      let walking = true;
      const movers = moving.map(async ({ userId, key }) => {
        while (walking) {
          await join(group, userId, key);
          await leave(group, userId, key);
        }
      });
      const seen: string[] = [];
      for (let path = `${groups}/${group}/members?pageSize=2`; path; ) {
        const { body } = await call('GET', path);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        path = body.links.next;
      }
      walking = false;
      await Promise.all(movers);
      assert.equal(new Set(seen).size, seen.length);
      for (const { userId } of staying) assert.ok(seen.includes(userId));
    });

    test('every change of a group and its members is an event, and so is every refusal', async () => {
      const person = await administrator();
      const group = await make('Audited group', 'open');
      await join(group, person.userId);
      await leave(group, person.userId);
      await leave(group, person.userId, (await member()).key);
      await call('DELETE', `${groups}/${group}`);
      const events = await app.people.records.read
        .selectFrom('audit_events')
        .select(['action', 'outcome'])
        .where('account_id', '=', account)
        .where('resource_id', '=', group)
        .orderBy('sequence')
        .execute();
      assert.deepEqual(
        events.map(({ action, outcome }) => `${action} ${outcome}`),
        [
          'groups.create done',
          'groups.addMember done',
          'groups.removeMember done',
          'groups.removeMember refused',
          'groups.delete done',
        ],
      );
    });
  },
  { PLOIDY_REQUESTS_PER_MINUTE: '100000' },
);
