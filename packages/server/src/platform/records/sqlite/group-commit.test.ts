import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { silent } from '../../../../../../test/support/records.ts';
import { isUnavailable } from '../errors.ts';
import type { Transaction } from '../records.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { openWriter } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'ploidy-commit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function store(name: string, lockWaitMaxMs = 60_000) {
  const path = join(folder, name);
  const database = openWriter(path);
  database.exec('pragma busy_timeout = 0');
  database.exec(
    'create table changes (seq integer primary key autoincrement, topic text not null, at integer)',
  );
  const other = new DatabaseSync(path);
  let commits = 0;
  const group = new GroupCommit({
    connection: new SqliteConnection(database),
    transactionMaxMs: 10_000,
    batchMaxMs: 60_000,
    lockWaitMaxMs,
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

test('a full disk fails the whole batch, and writing continues once there is space', async () => {
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
    assert.equal(
      unavailable[at],
      topic === undefined || !kept.includes(topic),
      `${topic} is reported the truth`,
    );
  }
  assert.equal(unavailable[1], true);
  database.exec('pragma max_page_count = 1000000');
  await group.transact(add('later'));
  assert.deepEqual(topics().slice(-1), ['later']);
  await close();
});

test('a transaction that waits too long for a foreign lock is refused, and later ones succeed', async () => {
  const { other, group, add, topics, close } = store('busy', 100);
  other.exec('begin immediate');
  const results = await Promise.allSettled([group.transact(add('a')), group.transact(add('b'))]);
  assert.ok(results.every((result) => result.status === 'rejected' && isUnavailable(result.reason)));
  other.exec('rollback');
  await group.transact(add('c'));
  assert.deepEqual(topics(), ['c']);
  await close();
});

test('while another program holds the lock other work goes on, and all who waited share the commit that follows', async () => {
  const { other, group, add, topics, commits, close } = store('held');
  other.exec('begin immediate');
  const first = group.transact(add('a'));
  for (let turn = 0; turn < 20; turn += 1) await delay(5);
  const second = group.transact(add('b'));
  assert.equal(commits(), 0);
  other.exec('rollback');
  await Promise.all([first, second]);
  assert.deepEqual(topics(), ['a', 'b']);
  assert.equal(commits(), 1);
  await close();
});

test('each transaction has its own timeout for the lock', async () => {
  const { other, group, add, topics, close } = store('clocks', 2000);
  other.exec('begin immediate');
  const early = assert.rejects(group.transact(add('early')), isUnavailable);
  await delay(1900);
  const late = group.transact(add('late'));
  await early;
  other.exec('rollback');
  await late;
  assert.deepEqual(topics(), ['late']);
  await close();
});

test('a commit that cannot begin for another reason is refused at once', async () => {
  const { database, group, add, topics, close } = store('begun');
  database.exec('begin');
  await assert.rejects(group.transact(add('a')), /within a transaction/);
  database.exec('rollback');
  await group.transact(add('b'));
  assert.deepEqual(topics(), ['b']);
  await close();
});

test('each transaction runs in the asynchronous context of its own caller', async () => {
  const { group, close } = store('context');
  const context = new AsyncLocalStorage<string>();
  const ask = (name: string) => context.run(name, () => group.transact(async () => context.getStore()));
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(ask)), ['a', 'b', 'c']);
  await close();
});
