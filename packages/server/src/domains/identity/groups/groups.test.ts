import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';

interface Named {
  id: string;
  name: string;
}

describeApp(
  'groups',
  (app) => {
    const groups = '/v1/account/groups';
    let member: Person;
    const create = (body: object, key = app.key) => app.call('POST', groups, { body, key });
    const put = (id: string, body: object, key = app.key) =>
      app.call('PUT', `${groups}/${id}`, { body, key });
    const names = ({ body }: Reply): string[] => body.items.map(({ name }: Named) => name);

    before(async () => {
      member = await app.people.member(app.account, ['readData']);
    });

    test('a group is created, read, replaced and deleted', async () => {
      const made = await create({ name: 'Tumour board', description: 'Thursdays' });
      const { id } = made.body;
      const whole = {
        id,
        account: app.account,
        name: 'Tumour board',
        description: 'Thursdays',
        type: 'closed',
      };
      assert.deepEqual(made.body, whole);
      assert.deepEqual((await app.call('GET', `${groups}/${id.toUpperCase()}`)).body, whole);
      const replaced = await put(id, { ...whole, name: 'Board', type: 'open' });
      assert.deepEqual(replaced.body, { ...whole, name: 'Board', type: 'open' });
      assert.deepEqual((await put(id, {})).body, { ...whole, name: 'Board', description: '' });
      assert.equal((await app.call('DELETE', `${groups}/${id}`)).status, 204);
      assert.equal((await app.call('DELETE', `${groups}/${id}`)).status, 404);
      assert.equal((await app.call('GET', `${groups}/${id}`)).status, 404);
    });

    test('PUT creates a group under a UUID chosen by the client, named after it unless a name is given', async () => {
      const id = newId();
      const made = await put(id.toUpperCase(), { description: 'Mine' });
      assert.deepEqual(made.body, {
        id,
        account: app.account,
        name: id,
        description: 'Mine',
        type: 'closed',
      });
      assert.equal((await put('mine', {})).status, 400);
      const mismatch = await put(id, { id: newId(), account: 'other' });
      assert.deepEqual(
        mismatch.body.details.map(({ path }: { path: string }) => path),
        ['body/id', 'body/account'],
      );
    });

    test('the id of a deleted group is never reused: policies that name it have no effect', async () => {
      const id = newId();
      await put(id, {});
      assert.equal((await app.call('DELETE', `${groups}/${id}`)).status, 204);
      const again = await put(id.toUpperCase(), {});
      assert.deepEqual([again.status, again.body.code], [409, 'GROUP_EXISTS']);
      assert.equal((await put(newId(), {})).status, 200);
    });

    test('an id of another account is unknown, and its group is unchanged', async () => {
      const owner = await app.people.owner('elsewhere');
      const sender = { key: owner.key, account: 'elsewhere' };
      const theirs = await app.call('POST', groups, { ...sender, body: { name: 'Theirs' } });
      for (const [method, body] of [['PUT', { name: 'Ours' }], ['GET'], ['DELETE']] as const) {
        const reply = await app.call(method, `${groups}/${theirs.body.id}`, body && { body });
        assert.equal(reply.status, 404, method);
      }
      const read = await app.call('GET', `${groups}/${theirs.body.id}`, sender);
      assert.deepEqual(read.body, theirs.body);
    });

    test('names are unique within an account regardless of case', async () => {
      assert.equal((await create({ name: 'Ärzte' })).status, 200);
      const again = await create({ name: 'ÄRZTE' });
      assert.deepEqual([again.status, again.body.code], [409, 'GROUP_EXISTS']);
      assert.equal((await put(newId(), { name: 'A\u0308rzte' })).status, 409);
      const other = (await create({ name: 'Others' })).body.id;
      assert.equal((await put(other, { name: 'ärzte' })).status, 409);
      assert.equal((await app.call('GET', `${groups}/${other}`)).body.name, 'Others');
    });

    test('the list is ordered by name; its filter is a prefix without wildcards, regardless of case', async () => {
      for (const name of ['list b', 'List a', 'LIST_c', 'list%d']) await create({ name });
      const list = async (name: string) => names(await app.call('GET', `${groups}?name=${name}`));
      assert.deepEqual(await list('LIST'), ['List a', 'list b', 'list%d', 'LIST_c']);
      assert.deepEqual(await list('list%25'), ['list%d']);
      assert.deepEqual(await list('list_'), ['LIST_c']);
      assert.deepEqual(await list('%25'), []);
      const page = await app.call('GET', `${groups}?name=list&pageSize=3`);
      assert.deepEqual(names(await app.call('GET', page.body.links.next)), ['LIST_c']);
    });

    test('a member sees own groups and open ones, in every list, and no others', async () => {
      const open = (await create({ name: 'Open to all', type: 'open' })).body.id;
      const closed = (await create({ name: 'Closed to most' })).body.id;
      const own = { key: member.key };
      assert.deepEqual(names(await app.call('GET', groups, own)), ['Open to all', 'Subjects']);
      const account = await app.call('GET', `/v1/accounts/${app.account}?include=groups`, own);
      assert.deepEqual(
        account.body.groups.map(({ name }: Named) => name),
        ['Open to all', 'Subjects'],
      );
      assert.equal((await app.call('GET', `${groups}/${open}`, own)).status, 200);
      for (const path of [`${groups}/${closed}`, `${groups}/${closed}/members`]) {
        assert.equal((await app.call('GET', path, own)).status, 404);
      }
      assert.equal((await put(open, {}, member.key)).status, 403);
      assert.equal((await put(closed, {}, member.key)).status, 404);
      assert.equal((await put(newId(), {}, member.key)).status, 403);
      assert.equal((await create({ name: 'x' }, member.key)).status, 403);
      assert.equal((await app.call('DELETE', `${groups}/${open}`, own)).status, 403);
    });

    test('accessAdmin bound to one group gives access to that group and no other', async () => {
      const id = (await create({ name: 'Led by one' })).body.id;
      const rule = { 'resource.id': { comparison: 'equals', value: id } };
      const leader = await app.people.member(app.account, ['accessAdmin'], rule);
      await until(
        async () => (await app.call('GET', groups, { key: leader.key })).status === 200,
        'a key that works',
      );
      assert.ok(names(await app.call('GET', groups, { key: leader.key })).includes('Led by one'));
      assert.ok(!names(await app.call('GET', groups, { key: leader.key })).includes('Administrators'));
      assert.equal((await put(id, { description: 'Led' }, leader.key)).status, 200);
      assert.equal((await create({ name: 'Another' }, leader.key)).status, 403);
    });

    test('one of 50 concurrent clients gets the name, and each PUT under one id leaves a complete group', async () => {
      const made = await Promise.all(Array.from({ length: 50 }, () => create({ name: 'Wanted by all' })));
      assert.deepEqual(made.map(({ status }) => status).sort(), [200, ...Array(49).fill(409)]);
      const id = newId();
      const puts = await Promise.all(
        Array.from({ length: 50 }, (_, at) => put(id, { name: `Put ${at}`, description: `of ${at}` })),
      );
      assert.deepEqual(new Set(puts.map(({ status }) => status)), new Set([200]));
      const { name, description } = (await app.call('GET', `${groups}/${id}`)).body;
      assert.equal(description, name.replace('Put', 'of'));
      const seeds = await Promise.all(
        Array.from({ length: 10 }, async (_, at) => (await create({ name: `Seed ${at}` })).body.id),
      );
      const renamed = await Promise.all(seeds.map((seed) => put(seed, { name: 'One of the seeds' })));
      assert.deepEqual(renamed.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)]);
    });

    test('pages are complete while 50 clients create, rename and delete groups', async () => {
      const kept = Array.from({ length: 30 }, (_, at) => `Walked ${String(at).padStart(2, '0')}`);
      await Promise.all(kept.map((name) => create({ name })));
      let walking = true;
      const client = async (at: number): Promise<void> => {
        for (let turn = 0; walking; turn++) {
          const made = await create({ name: `Walked ${at} by ${turn}` });
          if (made.status !== 200) throw new Error(made.text);
          await put(made.body.id, { name: `Walked again ${at} by ${turn}` });
          await app.call('DELETE', `${groups}/${made.body.id}`);
        }
      };
      const clients = Array.from({ length: 50 }, (_, at) => client(at));
      const seen: string[] = [];
      for (let path = `${groups}?name=walked&pageSize=4`; path; ) {
        const page = await app.call('GET', path);
        seen.push(...page.body.items.map(({ id, name }: Named) => `${id} ${name}`));
        path = page.body.links.next;
      }
      walking = false;
      await Promise.all(clients);
      assert.equal(new Set(seen).size, seen.length);
      for (const name of kept)
        assert.ok(
          seen.some((one) => one.endsWith(` ${name}`)),
          name,
        );
      assert.deepEqual(names(await app.call('GET', `${groups}?name=walked&pageSize=100`)), kept);
    });
  },
  { PLOIDY_REQUESTS_PER_MINUTE: '100000' },
);
