/** Results that wait are published together, each whole or not at all. */
import assert from 'node:assert/strict';
import { testOnRecords } from '../../../../../test/support/records.ts';
import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { PublicationTurns } from './publication-turns.ts';

const runOf = (holds: boolean): JobRun => ({ holdsLease: async () => holds }) as unknown as JobRun;

/** Publishes a version of a lake. */
async function note(tx: Transaction, name: string): Promise<'published'> {
  await tx.insertInto('lakes').values({ project_id: name, version: 1, data_version: 1 }).execute();
  return 'published';
}

async function noted(records: Records): Promise<string[]> {
  const rows = await records.read.selectFrom('lakes').select('project_id').orderBy('project_id').execute();
  return rows.map(({ project_id }) => project_id);
}

/** Counts transactions, and holds the first until it is let go. */
function counting(records: Records) {
  const held = Promise.withResolvers<void>();
  const counts: number[] = [];
  const transact: Records['transact'] = async (work) => {
    counts.push(0);
    if (counts.length === 1) await held.promise;
    return records.transact(work);
  };
  return { transact, counts, letGo: held.resolve };
}

testOnRecords('results that wait for a transaction of their project share the next one', async ({ open }) => {
  const records = await open();
  const { transact, counts, letGo } = counting(records);
  const turns = new PublicationTurns<'published' | 'dropped'>({ transact }, 'dropped');
  const ends = ['a', 'b', 'c', 'd'].map((name) =>
    turns.publish('p', runOf(name !== 'c'), (tx) => note(tx, name)),
  );
  const elsewhere = await turns.publish('q', runOf(true), (tx) => note(tx, 'other'));
  assert.equal(elsewhere, 'published');
  letGo();
  assert.deepEqual(await Promise.all(ends), ['published', 'published', 'dropped', 'published']);
  assert.equal(counts.length, 3, 'one of the first, one of the other project, one of those that waited');
  assert.deepEqual(await noted(records), ['a', 'b', 'd', 'other']);
});

testOnRecords('a result that fails leaves nothing, and those beside it are published', async ({ open }) => {
  const records = await open();
  const { transact, letGo } = counting(records);
  const turns = new PublicationTurns<'published' | 'dropped'>({ transact }, 'dropped');
  const publish = (name: string) =>
    turns.publish('p', runOf(true), async (tx) => {
      const end = await note(tx, name);
      if (name === 'broken') throw new Error('no room');
      return end;
    });
  const all = Promise.allSettled(['first', 'second', 'broken', 'third'].map(publish));
  letGo();
  const ends = await all;
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    ['published', 'published', 'Error: no room', 'published'],
  );
  assert.deepEqual(await noted(records), ['first', 'second', 'third']);
});
