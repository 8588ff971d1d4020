import type { JobRun } from '../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';

/** Results that one transaction publishes at most: others wait for its locks. */
const sharedMax = 16;

interface Turn<End> {
  run: JobRun;
  publish: (tx: Transaction) => Promise<End>;
  settled: PromiseWithResolvers<End>;
}

/**
 * Publishes results of ingestions, one transaction of a project at a time. Those that wait for it share the next one, which holds
 * all of each or nothing. Nothing waits where nothing runs.
 */
export class PublicationTurns<End> {
  readonly #records: Pick<Records, 'transact'>;
  readonly #dropped: End;
  /** Waiting turns of the projects with a running transaction. */
  readonly #waiting = new Map<string, Turn<End>[]>();

  /** `dropped`: end of a run that another process has. */
  constructor(records: Pick<Records, 'transact'>, dropped: End) {
    this.#records = records;
    this.#dropped = dropped;
  }

  /** Publishes in a transaction, of several perhaps. `publish` may run again, and after a failure of others it has one of its own. */
  publish(project: string, run: JobRun, publish: Turn<End>['publish']): Promise<End> {
    const turn = { run, publish, settled: Promise.withResolvers<End>() };
    const waiting = this.#waiting.get(project);
    if (waiting) waiting.push(turn);
    else void this.#take(project, turn);
    return turn.settled.promise;
  }

  async #take(project: string, first: Turn<End>): Promise<void> {
    const waiting = [first];
    this.#waiting.set(project, waiting);
    while (waiting.length > 0) await this.#settle(waiting.splice(0, sharedMax));
    this.#waiting.delete(project);
  }

  async #settle(turns: Turn<End>[]): Promise<void> {
    try {
      const ends = await this.#records.transact((tx) => this.#publishAll(tx, turns));
      for (const [at, { settled }] of turns.entries()) settled.resolve(ends[at] as End);
    } catch (error) {
      const [only, second] = turns;
      if (second === undefined) only?.settled.reject(error);
      else for (const turn of turns) await this.#settle([turn]);
    }
  }

  /** Locks the jobs of all before the project, as a cancellation does. */
  async #publishAll(tx: Transaction, turns: readonly Turn<End>[]): Promise<End[]> {
    const holds: boolean[] = [];
    for (const { run } of turns) holds.push(await run.holdsLease(tx));
    const ends: End[] = [];
    for (const [at, { publish }] of turns.entries()) ends.push(holds[at] ? await publish(tx) : this.#dropped);
    return ends;
  }
}
