import { sql } from 'kysely';
import { readSharedNow } from '../records/clock.ts';
import type { Records } from '../records/records.ts';
import { FairOrder } from './admission.ts';
import { runningJobs } from './claim.ts';
import type { Waiting } from './jobs.ts';
import { type JobRow, whoseOf } from './rows.ts';
import { readShares } from './shares.ts';

/** Age up to which positions are given again: all who ask within a second share one reading. */
const keptMs = 1000;

type WaitingRow = Pick<
  JobRow,
  'id' | 'seq' | 'account_id' | 'project_id' | 'user_id' | 'is_long' | 'exclusive_key' | 'waiting_since'
>;

interface Reading {
  /** Time by the shared clock. */
  now: number;
  positions: ReadonlyMap<string, number>;
}

/** Positions of waiting jobs, in the order in which they would start if all took equally long. */
export class Positions {
  readonly #records: Records;
  readonly #byClass = new Map<string, { at: number; reading: Promise<Reading> }>();

  constructor(records: Records) {
    this.#records = records;
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
      const position = (await this.#reading(name, since)).positions.get(id);
      // Without one it has got its place meanwhile.
      if (position !== undefined) found.set(id, { position, since });
    }
    return found;
  }

  /** Reads positions after `since`: an older reading lacks a job, and has others that run by now. */
  async #reading(name: string, since: number): Promise<Reading> {
    const known = this.#byClass.get(name);
    if (known && performance.now() - known.at < keptMs) {
      const reading = await known.reading;
      if (reading.now > since) return reading;
      // Another caller may have begun to read again.
      if (this.#byClass.get(name) !== known) return await this.#reading(name, since);
    }
    const reading = this.#read(name);
    this.#byClass.set(name, { at: performance.now(), reading });
    reading.catch(() => this.#byClass.delete(name));
    return await reading;
  }

  async #read(name: string): Promise<Reading> {
    const { read, dialect } = this.#records;
    const now = await readSharedNow(dialect, read);
    const running = await runningJobs(read, name, now);
    const order = new FairOrder(running, await readShares(read, name, now));
    const rows: WaitingRow[] = await read
      .selectFrom('jobs')
      .select([
        'id',
        'seq',
        'account_id',
        'project_id',
        'user_id',
        'is_long',
        'exclusive_key',
        'waiting_since',
      ])
      // A literal, which the partial index asks for.
      .where('state', '=', sql.lit('queued' as const))
      .where('class', '=', name)
      .execute();
    const sorted = rows.toSorted((one, other) => one.seq - other.seq);
    return { now, positions: new Map(inTurns(sorted, order).map(({ id }, at) => [id, at + 1])) };
  }
}

/** Orders jobs by rounds: in each, every account, project and user has one turn. */
function inTurns(rows: readonly WaitingRow[], order: FairOrder): WaitingRow[] {
  const queues = [...Map.groupBy(rows, (row) => JSON.stringify(whoseOf(row))).values()];
  const sorted = order.sort(queues.map((queue) => ({ queue, whose: whoseOf(queue[0] as WaitingRow) })));
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const rounds = Array.from({ length: longest }, (_, round) =>
    sorted.flatMap(({ queue }) => queue[round] ?? []),
  );
  return rounds.flat();
}
