import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { interposed } from '../../../../../../test/support/interposed.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { endCredentialsIn } from '../../../app/left-account.ts';
import { newId } from '../../../base/ids.ts';
import type { GroupsTable } from '../../../platform/records/schema.ts';
import { Audit } from '../../audit/index.ts';
import { addMember, Groups } from '../groups/index.ts';
import type { By } from '../users/index.ts';
import { Members } from './members.ts';

const path = '/v1/account/groups';

describeApp('groups that change between check and write', (app) => {
  let there: Person;
  let here: string;

  before(async () => {
    here = app.account;
    there = await app.people.owner('there');
  });

  const inside = (records = app.people.records) => {
    const audit = new Audit(records);
    const groups = new Groups(records, audit);
    return { groups, members: new Members(records, audit, groups, endCredentialsIn) };
  };
  const by = (userId: string, manages: boolean): By =>
    ({ caller: { userId, email: '', via: 'test', may: () => manages }, requestId: 'r' }) as unknown as By;
  const rowOf = async (id: string): Promise<GroupsTable> =>
    app.people.records.read.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const put = async (id: string, body: object, sender: object = {}): Promise<GroupsTable> => {
    const made = await app.call('PUT', `${path}/${id}`, { ...sender, body });
    assert.equal(made.status, 200, made.text);
    return rowOf(id);
  };
  const remove = async (group: string): Promise<void> =>
    assert.equal((await app.call('DELETE', `${path}/${group}`)).status, 204);
  const idsIn = async (group: string): Promise<string[]> => {
    const rows = app.people.records.read.selectFrom('group_members').select('user_id');
    return (await rows.where('group_id', '=', group).execute()).map(({ user_id }) => user_id);
  };

  test('an id that another account takes meanwhile creates no group, and leaves the foreign one unchanged', async () => {
    const id = newId();
    const theirs = await put(id, { name: 'Theirs' }, there);
    const { groups } = inside();
    await assert.rejects(groups.put(here, id, { name: 'Ours' }, by(there.userId, true)), { status: 404 });
    assert.deepEqual(await rowOf(id), theirs);
  });

  test('a deleted group whose id another account has taken is not deleted or left there', async () => {
    const id = newId();
    const ours = await put(id, { name: 'Ours' });
    const person = await app.people.member(here, []);
    await remove(id);
    const theirs = await put(id, { name: 'Taken' }, there);
    await app.people.records.transact((tx) => addMember(tx, { id, account: 'there' }, person.userId));
    const { members } = inside();
    const manager = by(there.userId, true);
    await assert.rejects(members.remove(ours, person.userId, manager), { status: 404 });
    await assert.rejects(members.deleteGroup(ours, manager), { status: 404 });
    await assert.rejects(members.add(ours, person.userId, manager), { status: 404 });
    assert.deepEqual([await rowOf(id), await idsIn(id)], [theirs, [person.userId]]);
  });

  test('a group closed meanwhile cannot be joined, but its managers add members', async () => {
    const id = newId();
    const open = await put(id, { type: 'open' });
    const person = await app.people.member(here, []);
    await put(id, { type: 'closed' });
    const { members } = inside();
    const joining = members.add(open, person.userId, by(person.userId, false));
    await assert.rejects(joining, { status: 409, code: 'GROUP_CLOSED' });
    assert.deepEqual(await idsIn(id), []);
    await members.add(open, person.userId, by(there.userId, true));
    assert.deepEqual(await idsIn(id), [person.userId]);
  });

  test('a user who leaves the account meanwhile is added to none of its groups', async () => {
    const id = newId();
    const group = await put(id, {});
    const person = await app.people.member(here, []);
    const leave = async () => {
      const { items } = (await app.call('GET', `${path}?name=Subjects`)).body;
      const left = await app.call('DELETE', `${path}/${items[0].id}/members/${person.userId}`);
      assert.equal(left.status, 204, left.text);
    };
    const { members } = inside(interposed(app.people.records, 'before', 'transact', leave));
    await assert.rejects(members.add(group, person.userId, by(there.userId, true)), { status: 404 });
    assert.deepEqual(await idsIn(id), []);
  });
});
