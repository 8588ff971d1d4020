import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';

describeApp(
  'projects and accounts',
  (app) => {
    const create = (name: string, description?: string) =>
      app.call('POST', '/v1/projects', { body: { name, ...(description && { description }) } });

    test('a project is created, read, renamed and listed', async () => {
      const made = await create('Éxome', 'Forty exomes');
      assert.deepEqual(Object.keys(made.body), ['id', 'name', 'description']);
      const read = await app.call('GET', `/v1/projects/${made.body.id}`);
      assert.deepEqual(read.body, made.body);
      const renamed = await app.call('PATCH', `/v1/projects/${made.body.id}`, { body: { name: 'Genome' } });
      assert.deepEqual(renamed.body, { ...made.body, name: 'Genome' });
      const list = await app.call('GET', '/v1/projects?name=GEN');
      assert.deepEqual(list.body.items, [renamed.body]);
    });

    test('the storage of a project is its files and their bytes, for projectAdmin only', async () => {
      const { id } = (await create('Stored')).body;
      await app.put(id, 'a.txt', 'three');
      await app.put(id, 'b.txt', 'four');
      const path = `/v1/projects/${id}?include=storage`;
      assert.deepEqual((await app.call('GET', path)).body.storage, { files: 2, bytes: 9 });
      assert.equal((await app.call('GET', `/v1/projects/${id}`)).body.storage, undefined);
      const { key } = await app.people.member(app.account, ['readData']);
      assert.equal((await app.call('GET', path, { key })).status, 403);
    });

    test('names are unique within an account without regard to case', async () => {
      await create('Unique');
      assert.equal((await create('UNIQUE')).status, 409);
      const other = await create('Other');
      const renamed = await app.call('PATCH', `/v1/projects/${other.body.id}`, { body: { name: 'unique' } });
      assert.equal(renamed.status, 409);
      const owner = await app.people.owner('elsewhere');
      const elsewhere = await app.call('POST', '/v1/projects', { ...owner, body: { name: 'Unique' } });
      assert.equal(elsewhere.status, 200);
    });

    test('ten concurrent creations of one name: exactly one succeeds', async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => create('Race')));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)]);
    });

    test('pages are complete while projects are added and deleted', async () => {
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => create(`Page ${String(index).padStart(2, '0')}`)),
      );
      const seen: string[] = [];
      let path = '/v1/projects?name=page&pageSize=7';
      while (path) {
        const { body } = await app.call('GET', path);
        assert.ok(body.links.self.startsWith('/v1/projects?'));
        seen.push(...body.items.map((item: { name: string }) => item.name));
        await create(`Page 0${seen.length} late`);
        path = body.links.next;
      }
      for (let index = 0; index < 30; index++)
        assert.ok(seen.includes(`Page ${String(index).padStart(2, '0')}`));
      assert.equal(new Set(seen).size, seen.length);
    });

    // asvs: 15.3.3
    test('a deletion date can only be cleared', async () => {
      const made = await create('Dated');
      const patch = (deletionDate: unknown) =>
        app.call('PATCH', `/v1/projects/${made.body.id}`, { body: { deletionDate } });
      assert.equal((await patch('2030-01-01T00:00:00.000Z')).status, 400);
      assert.equal((await patch('')).status, 200);
      assert.equal((await patch(null)).status, 200);
      const at = Date.UTC(2030, 0, 2);
      await app.people.records.transact((tx) =>
        tx.updateTable('projects').set({ deletion_at: at }).where('id', '=', made.body.id).execute(),
      );
      const pending = await app.call('GET', `/v1/projects/${made.body.id}`);
      assert.equal(pending.body.deletionDate, '2030-01-02T00:00:00.000Z');
      assert.equal((await patch('2030-01-02T00:00:00.000Z')).body.deletionDate, '2030-01-02T00:00:00.000Z');
      assert.equal((await patch('')).body.deletionDate, undefined);
    });

    test('a member without the privilege reads a project and may not change it', async () => {
      const made = await create('Seen');
      const member = await app.people.member(app.account, ['readData']);
      assert.equal((await app.call('GET', `/v1/projects/${made.body.id}`, { key: member.key })).status, 200);
      const refused = await app.call('PATCH', `/v1/projects/${made.body.id}`, {
        key: member.key,
        body: { name: 'x' },
      });
      assert.equal(refused.status, 403);
      assert.equal(
        (await app.call('POST', '/v1/projects', { key: member.key, body: { name: 'x' } })).status,
        403,
      );
    });

    test('an account is created with default groups and its creator in Administrators, and is renamed', async () => {
      const made = await app.call('POST', '/v1/accounts', {
        body: { name: 'St. Mary’s Hospital', type: 'PAID' },
      });
      assert.deepEqual(made.body, {
        id: 'st-mary-s-hospital',
        name: 'St. Mary’s Hospital',
        owner: 'admin@localhost',
        type: 'PAID',
        assistants: 'off',
      });
      const again = await app.call('POST', '/v1/accounts', { body: { name: 'St. Mary’s Hospital' } });
      assert.equal(again.body.id, 'st-mary-s-hospital-2');
      assert.equal((await app.call('POST', '/v1/accounts', { body: { id: 'main', name: 'x' } })).status, 409);
      assert.equal((await app.call('POST', '/v1/accounts', { body: { id: 'No!', name: 'x' } })).status, 400);
      const read = await app.call('GET', `/v1/accounts/${app.account}?include=groups`);
      assert.deepEqual(
        read.body.groups.map((group: { name: string }) => group.name),
        ['Administrators', 'Subjects', 'Users'],
      );
      const renamed = await app.call('PATCH', `/v1/accounts/${app.account}`, { body: { name: 'Renamed' } });
      assert.equal(renamed.body.name, 'Renamed');
    });

    test('a name used by a thousand accounts still yields an id', async () => {
      const name = 'University Hospital Heidelberg';
      const first = (await app.call('POST', '/v1/accounts', { body: { name } })).body.id;
      assert.equal(first.length, 28);
      const like = await app.people.records.read
        .selectFrom('accounts')
        .selectAll()
        .where('id', '=', first)
        .executeTakeFirstOrThrow();
      const ids = Array.from({ length: 1001 }, (_, at) => `${first.slice(0, 31 - String(at).length)}-${at}`);
      await app.people.records.transact(async (tx) => {
        for (const id of ids)
          await tx
            .insertInto('accounts')
            .values({ ...like, id })
            .execute();
      });
      const next = await app.call('POST', '/v1/accounts', { body: { name } });
      assert.equal(next.body.id, `${first.slice(0, 27)}-1001`, next.text);
    });

    test('accounts created at once under one name all get an id; a chosen id goes to the first', async () => {
      const make = async (body: object) => {
        const replies = await Promise.all(
          [1, 2, 3, 4].map(() => app.call('POST', '/v1/accounts', { body: { name: 'Same name', ...body } })),
        );
        return replies.map((reply) => reply.body.id ?? reply.body.code).sort();
      };
      assert.deepEqual(await make({}), ['same-name', 'same-name-2', 'same-name-3', 'same-name-4']);
      const refused = Array.from({ length: 3 }, () => 'ACCOUNT_EXISTS');
      assert.deepEqual(await make({ id: 'chosen' }), [...refused, 'chosen']);
    });
  },
  { PLOIDY_ACCOUNTS_PER_USER: '2000' },
);
