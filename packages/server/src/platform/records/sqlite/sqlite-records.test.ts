import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { silent } from '../../../../../../test/support/records.ts';
import { migrations } from '../migrations/index.ts';
import { openRecords } from '../open.ts';
import type { Records } from '../records.ts';
import { openSqliteRecords } from './sqlite-records.ts';
import { startWriter } from './writer.fixture.ts';

let folder: string;
let records: Records | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-sqlite-'));
});
afterEach(async () => {
  await records?.close();
  records = undefined;
  rmSync(folder, { recursive: true, force: true });
});
const open = () => openRecords({ folder, log: silent });
const add = (store: Records, topic: string) => store.transact((tx) => store.announce(tx, topic));

test('two processes share one file: both write, and each sees the other', async () => {
  records = await open();
  const heard: string[] = [];
  records.onChange('other', (topic) => heard.push(topic));
  const child = startWriter(folder, 'other');
  const lines = createInterface({ input: child.stdout });
  let mine = 0;
  const theirs: string[] = [];
  lines.on('line', (line) => theirs.push(line));
  while (theirs.length < 100 || mine < 100) {
    await add(records, `mine-${mine}`);
    mine += 1;
  }
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  records.catchUp();
  const reported = new Set(heard);
  assert.equal(reported.size, heard.length, 'nothing is reported twice');
  assert.deepEqual(
    theirs.filter((topic) => !reported.has(topic)),
    [],
    'everything acknowledged there is reported here',
  );
});

test('a thousand transactions of one turn share few commits', async () => {
  records = await open();
  const store = records;
  let turns = 0;
  let running = true;
  const count = () => {
    turns += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 1000 }, (_, number) => add(store, `t${number}`)));
  running = false;
  // Every batch waits for one turn of the event loop, so there were at most as many commits as turns.
  assert.ok(turns < 50, `${turns} turns`);
});

test('a transaction that waits for something else than its queries is rolled back and the others go on', async () => {
  const path = join(folder, 'records.sqlite');
  records = await openSqliteRecords({ path, migrations, log: silent, transactionMaxMs: 100 });
  const store = records;
  const [stuck, good] = await Promise.allSettled([
    store.transact(async (tx) => {
      await store.announce(tx, 'stuck');
      await new Promise(() => undefined);
    }),
    add(store, 'good'),
  ]);
  assert.equal(stuck.status, 'rejected');
  assert.equal(good.status, 'fulfilled');
  const rows = await store.read.selectFrom('changes').select('topic').execute();
  assert.deepEqual(rows, [{ topic: 'good' }]);
});

test('the records can be read by their owner only', async () => {
  records = await open();
  await add(records, 'x');
  for (const name of ['records.sqlite', 'records.sqlite-wal', 'records.sqlite-shm']) {
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  }
});
