import { sql } from 'kysely';
import { readSharedNow } from '../records/clock.ts';
import type { Records } from '../records/records.ts';
import { FairOrder, namesOf, type Whose } from './admission.ts';
import { asHolder, runningJobs } from './claim.ts';
import type { Waiting } from './jobs.ts';
import type { Places } from './places.ts';
import { whoseOf } from './rows.ts';
import { readShares, sumOf } from './shares.ts';

/** Age up to which positions are given again: all who ask within a second share one reading. */
const keptMs = 1000;

interface Reading {
  /** Time by the shared clock. */
  now: number;
  positions: ReadonlyMap<string, number>;
}

/** Positions of waiting jobs, in the order in which they would start if all took equally long. */
export class Positions {
  readonly #records: Records;
  readonly #places: Partial<Record<string, Places>>;
  readonly #byClass = new Map<string, { at: number; reading: Promise<Reading> }>();

  /** `places`: those of this process, whose requests have their turns too. */
  constructor(records: Records, places: Partial<Record<string, Places>>) {
    this.#records = records;
    this.#places = places;
  }

  async of(jobIds: readonly string[]): Promise<ReadonlyMap<string, Waiting>> {
    if (jobIds.length === 0) return new Map();
    const rows = await this.#records.read
      .selectFrom('jobs')
      .select(['id', 'class', 'waiting_since'])
      .where('id', 'in', jobIds)
      .where('state', '=', 'queued')
      .execute();
    const found = new Map<string, Waiting>();
    for (const { id, class: name, waiting_since: since } of rows) {
      const { positions } = await this.#reading(name, (one) => one.now > since && one.positions.has(id));
      const position = positions.get(id);
      // Without one it has got its place meanwhile.
      if (position !== undefined) found.set(id, { position, since });
    }
    return found;
  }

  /**
   * Reads positions, again where those that were read do not count a wait: it began later, or the transaction that began it
   * had not ended.
   */
  async #reading(name: string, counts: (reading: Reading) => boolean): Promise<Reading> {
    const known = this.#byClass.get(name);
    if (known && performance.now() - known.at < keptMs) {
      const reading = await known.reading;
      if (counts(reading)) return reading;
      // Another caller may have begun to read again.
      const later = this.#byClass.get(name);
      if (later !== undefined && later !== known) return await later.reading;
    }
    const reading = this.#read(name);
    this.#byClass.set(name, { at: performance.now(), reading });
    reading.catch(() => this.#byClass.delete(name));
    return await reading;
  }

  async #read(name: string): Promise<Reading> {
    const { read, dialect } = this.#records;
    const now = await readSharedNow(dialect, read);
    const jobs = await runningJobs(read, name, now);
    const shares = await readShares(read, name, now);
    const rows = await read
      .selectFrom('jobs')
      .select(['id', 'seq', 'account_id', 'project_id', 'user_id', 'created_at'])
      // A literal, which the partial index asks for.
      .where('state', '=', sql.lit('queued' as const))
      .where('class', '=', name)
      .execute();
    const direct = this.#places[name]?.direct;
    const order = new FairOrder(
      [...jobs, ...(direct?.running ?? []).map(asHolder)],
      sumOf(shares, direct?.shares ?? new Map()),
    );
    const waiting = [
      ...(direct?.waiting ?? []).map(({ whose, waitedMs }) => ({ id: '', whose, ageMs: waitedMs })),
      ...rows
        .toSorted((one, other) => one.seq - other.seq)
        .map((row) => ({ id: row.id, whose: whoseOf(row), ageMs: now - row.created_at })),
    ];
    const oldestFirst = waiting.toSorted((one, other) => other.ageMs - one.ageMs);
    const turns = inTurns(oldestFirst, order).map(({ id }, at): [string, number] => [id, at + 1]);
    return { now, positions: new Map(turns) };
  }
}

/** Orders work by rounds: in each, every account, project and user has one turn. */
function inTurns<W extends { whose: Whose }>(oldestFirst: readonly W[], order: FairOrder): W[] {
  const queues = [...Map.groupBy(oldestFirst, ({ whose }) => namesOf(whose).join()).values()];
  const sorted = order.sort(
    queues.flatMap((queue) => queue.slice(0, 1).map(({ whose }) => ({ queue, whose }))),
  );
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const rounds = Array.from({ length: longest }, (_, round) =>
    sorted.flatMap(({ queue }) => queue[round] ?? []),
  );
  return rounds.flat();
}
