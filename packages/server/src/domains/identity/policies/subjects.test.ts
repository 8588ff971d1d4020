import assert from 'node:assert/strict';
import type { KyselyPlugin } from 'kysely';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import type { Records } from '../../../platform/records/records.ts';
import { allSubjects } from './subjects.ts';

const numbered = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${kind}-${String(at).padStart(4, '0')}`);
const users = numbered('user', 300);
const groups = numbered('group', 400);
/** Puts each user in five groups, so that each has few members. */
const groupsOf = (at: number): string[] =>
  [0, 1, 2, 3, 4].map((step) => groups[(at * 7 + step * 61) % groups.length] ?? '').sort();

async function fill(records: Records): Promise<void> {
  await records.transact(async (tx) => {
    const account = { id: 'main', name: 'Main', type: 'paid', deletion_at: null, created_at: 0 };
    await tx
      .insertInto('accounts')
      .values({ ...account, owner_id: 'user-0299' } as never)
      .execute();
    const person = { type: 'person', profile: '{}', name_keys: '', created_at: 0 };
    for (const [at, id] of users.entries()) {
      await tx
        .insertInto('users')
        .values({ ...person, id, email: `${id}@main.test` } as never)
        .execute();
      const rows = groupsOf(at).map((group_id) => ({
        group_id,
        user_id: id,
        account_id: 'main',
        added_at: 0,
      }));
      await tx.insertInto('group_members').values(rows).execute();
      await tx
        .insertInto('group_members')
        .values({ ...rows[0], group_id: 'else', account_id: 'else' } as never)
        .execute();
    }
  });
}

testOnRecords(
  'all members of an account are read with their groups, in few reads for any number of groups',
  async ({ open }) => {
    const records = await open();
    await fill(records);
    let reads = 0;
    const counted: KyselyPlugin = {
      transformQuery: ({ node }) => {
        reads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { signal } = new AbortController();
    const subjects = await allSubjects(records.read.withPlugin(counted), 'main', signal);
    const expected = users.map((id, at) => ({
      id,
      email: `${id}@main.test`,
      customAttributes: {},
      groups: groupsOf(at),
      owner: id === 'user-0299',
    }));
    assert.equal(subjects[0]?.id, 'user-0299');
    assert.deepEqual(
      subjects.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      expected,
    );
    assert.ok(reads < 20, `${reads} reads`);
  },
);
