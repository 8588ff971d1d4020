import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { silent } from '../../../../../../test/support/records.ts';
import { isUnavailable } from '../errors.ts';
import type { Transaction } from '../records.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { openWriter } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-commit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function store(name: string) {
  const path = join(folder, name);
  const database = openWriter(path);
  database.exec(
    'create table changes (seq integer primary key autoincrement, topic text not null, at integer)',
  );
  const other = new DatabaseSync(path);
  let commits = 0;
  const group = new GroupCommit({
    connection: new SqliteConnection(database),
    transactionMaxMs: 10_000,
    batchMaxMs: 60_000,
    committed: () => {
      commits += 1;
    },
    log: silent,
  });
  const add = (topic: string) => (tx: Transaction) =>
    tx.insertInto('changes').values({ topic, at: 0 }).execute();
  const topics = () =>
    other
      .prepare('select topic from changes order by seq')
      .all()
      .map((row) => row['topic']);
  const close = async () => {
    await group.drain();
    other.close();
    database.close();
  };
  return { database, other, group, add, topics, commits: () => commits, close };
}

test('transactions asked for in one turn of the event loop share one commit', async () => {
  const { group, add, topics, commits, close } = store('one');
  await Promise.all(Array.from({ length: 100 }, (_, number) => group.transact(add(`t${number}`))));
  assert.equal(topics().length, 100);
  assert.equal(commits(), 1);
  await group.transact(add('next'));
  assert.equal(commits(), 2);
  await close();
});

test('a very long queue is committed in parts', async () => {
  const { group, add, topics, commits, close } = store('long');
  await Promise.all(Array.from({ length: 3000 }, (_, number) => group.transact(add(`t${number}`))));
  assert.equal(topics().length, 3000);
  assert.ok(commits() >= 3);
  await close();
});

test('when the disk is full nothing of the batch is kept, all are told, and writing goes on once there is room', async () => {
  const { database, group, add, topics, close } = store('full');
  await group.transact(add('first'));
  const pages = Number(database.prepare('pragma page_count').get()?.['page_count']);
  database.exec(`pragma max_page_count = ${pages}`);
  const results = await Promise.allSettled([
    group.transact(add('small')),
    group.transact(add('x'.repeat(500_000))),
    group.transact(add('small too')),
  ]);
  const unavailable = results.map((result) => result.status === 'rejected' && isUnavailable(result.reason));
  const kept = topics();
  for (const [at, topic] of ['small', undefined, 'small too'].entries()) {
    assert.equal(unavailable[at], topic === undefined || !kept.includes(topic), `${topic} is told the truth`);
  }
  assert.equal(unavailable[1], true);
  database.exec('pragma max_page_count = 1000000');
  await group.transact(add('later'));
  assert.deepEqual(topics().slice(-1), ['later']);
  await close();
});

test('a commit that cannot begin rejects its transactions and not the next ones', async () => {
  const { database, other, group, add, topics, close } = store('busy');
  database.exec('pragma busy_timeout = 0');
  other.exec('begin immediate');
  const results = await Promise.allSettled([group.transact(add('a')), group.transact(add('b'))]);
  assert.ok(results.every((result) => result.status === 'rejected' && isUnavailable(result.reason)));
  other.exec('rollback');
  await group.transact(add('c'));
  assert.deepEqual(topics(), ['c']);
  await close();
});

test('each transaction runs in the asynchronous context of its own caller', async () => {
  const { group, close } = store('context');
  const context = new AsyncLocalStorage<string>();
  const ask = (name: string) => context.run(name, () => group.transact(async () => context.getStore()));
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(ask)), ['a', 'b', 'c']);
  await close();
});
