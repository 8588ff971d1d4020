import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { silent } from '../../../../../../test/support/records.ts';
import { openRecords } from '../open.ts';
import { openSnapshot } from '../snapshot.ts';
import { LostCommits, requireCommits } from './lost-commits.ts';
import { startWriter } from './writer.fixture.ts';

const place = mkdtempSync(join(tmpdir(), 'ploidy-commits-'));
const killed = join(place, 'killed');
after(() => rmSync(place, { recursive: true, force: true }));

before(async () => {
  const child = startWriter(killed, 'row');
  let count = 0;
  const lines = createInterface({ input: child.stdout }).on('line', () => {
    count += 1;
    if (count === 20) child.kill('SIGKILL');
  });
  await Promise.all([once(child, 'exit'), once(lines, 'close')]);
});

/** Damages the WAL of a killed service, and returns the path of its records. */
function damaged(name: string, change: (wal: string) => void): string {
  const folder = join(place, name);
  cpSync(killed, folder, { recursive: true });
  change(join(folder, 'records.sqlite-wal'));
  return folder;
}

const flip = (at: (size: number) => number) => (wal: string) => {
  const bytes = readFileSync(wal);
  const byte = at(bytes.length);
  bytes[byte] = (bytes[byte] ?? 0) ^ 4;
  writeFileSync(wal, bytes);
};

const damages: Record<string, (wal: string) => void> = {
  missing: (wal) => rmSync(wal),
  empty: (wal) => truncateSync(wal, 0),
  shortened: (wal) => truncateSync(wal, Math.floor(readFileSync(wal).length / 2)),
  'altered in its name of the format': flip(() => 1),
  'altered in its salt': flip(() => 17),
  'altered in its first page': flip(() => 100),
  'altered in its middle': flip((size) => Math.floor(size / 3)),
};

for (const [name, change] of Object.entries(damages))
  test(`a WAL that is ${name} is reported`, () => {
    assert.throws(() => requireCommits(join(damaged(name, change), 'records.sqlite')), LostCommits);
  });

test('a lost WAL stops the start and a backup, until the operator accepts the loss', async () => {
  const folder = damaged('lost', (wal) => rmSync(wal));
  await assert.rejects(openSnapshot({ folder }), LostCommits);
  await assert.rejects(openRecords({ folder, log: silent }), /remove .*records\.sqlite-shm\.$/);
  rmSync(join(folder, 'records.sqlite-shm'));
  await (await openRecords({ folder, log: silent })).close();
});

test('the records of a killed service open with their WAL, and later without', async () => {
  const folder = damaged('whole', () => undefined);
  const records = await openRecords({ folder, log: silent });
  await records.transact((tx) => records.announce(tx, 'later'));
  await records.close();
  await (await openRecords({ folder, log: silent })).close();
});
