import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Records } from '../packages/server/src/platform/records/index.ts';
import { openRecords } from '../packages/server/src/platform/records/index.ts';

const rounds = 3;
const writes = 20_000;
const singleWrites = 1_000;
const reads = 100_000;
const looks = 500_000;
const ignore = () => undefined;

/** Durable transactions a second, asked for together and one by one; reads through Kysely and raw, taking turns. */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-bench-records-'));
  const records = await openRecords({ folder, log: { info: ignore, warn: ignore, error: ignore } });
  const raw = new DatabaseSync(join(folder, 'records.sqlite'), { readOnly: true });
  try {
    for (let round = 0; round < rounds; round += 1) {
      const together = await perSecond(writes, () => writeTogether(records));
      const single = await perSecond(singleWrites, () => writeOneByOne(records));
      print('durable writes', { together, 'one by one': single, ratio: together / single });
      const kysely = await perSecond(reads, () => readThroughKysely(records));
      const direct = await perSecond(reads, async () => readRaw(raw));
      print('reads of one row', { kysely, raw: direct, 'µs more': 1e6 / kysely - 1e6 / direct });
      const look = await perSecond(looks, async () => {
        for (let number = 0; number < looks; number += 1) records.catchUp();
      });
      print('looks for changes', { 'µs each': 1e6 / look });
    }
    const expected = rounds * (writes + singleWrites);
    const { count } = await records.read
      .selectFrom('changes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count !== expected) throw new Error(`${expected} rows were acknowledged and ${count} are there.`);
  } finally {
    raw.close();
    await records.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const write = (records: Records, number: number) =>
  records.transact(async (tx) => {
    await tx
      .insertInto('changes')
      .values({ topic: `bench/${number}`, at: number })
      .execute();
  });

async function writeTogether(records: Records): Promise<void> {
  await Promise.all(Array.from({ length: writes }, (_, number) => write(records, number)));
}

async function writeOneByOne(records: Records): Promise<void> {
  for (let number = 0; number < singleWrites; number += 1) await write(records, number);
}

async function readThroughKysely(records: Records): Promise<void> {
  for (let number = 0; number < reads; number += 1) {
    await records.read
      .selectFrom('changes')
      .selectAll()
      .where('seq', '=', 1 + (number % writes))
      .executeTakeFirstOrThrow();
  }
}

function readRaw(database: DatabaseSync): void {
  const statement = database.prepare('select * from changes where seq = ?');
  for (let number = 0; number < reads; number += 1) statement.get(1 + (number % writes));
}

async function perSecond(times: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (times * 1000) / (performance.now() - begun);
}

function print(what: string, figures: Record<string, number>): void {
  const text = Object.entries(figures).map(
    ([name, figure]) => `${name} ${figure.toFixed(figure < 100 ? 1 : 0)}`,
  );
  process.stdout.write(`${what}: ${text.join(' · ')}\n`);
}
