import { isDeepStrictEqual } from 'node:util';
import { type StatementPlan, StatementRun, type StatementRunParts } from './statement-run.ts';

/** How long a process is held for a query: its job begins within milliseconds, unless others are before it. */
const heldMs = 1000;

/**
 * Processes that are made ready while their query is still being accepted, on the other core: views, confinement and the plan of the statement
 * take as long as planning it in the guard and recording it. No row is read before the query is recorded and its job has asked once more what its
 * user may see; what was made ready for something else is thrown away.
 */
export class EarlyRuns {
  readonly #parts: StatementRunParts;
  readonly #held = new Map<string, StatementRun>();

  constructor(parts: StatementRunParts) {
    this.#parts = parts;
  }

  /**
   * Makes a process ready for the query with this id, which passed the guard; for one query at a time, and where another process waits besides: when
   * many come at once their turns decide who gets a process.
   */
  prepare(id: string, plan: StatementPlan): void {
    if (this.#held.size > 0 || !isEasy(plan) || !this.#parts.engine.hasSpareWorker()) return;
    this.#held.set(id, new StatementRun(this.#parts, plan));
    setTimeout(() => this.drop(id), heldMs).unref();
  }

  /** The run that was made ready for just this; whoever takes it begins it or ends it. One that was lost meanwhile costs its query no attempt. */
  take(id: string, plan: StatementPlan): StatementRun | undefined {
    const run = this.#held.get(id);
    if (!run || run.hasFailed || !isDeepStrictEqual(run.plan, plan)) return undefined;
    this.#held.delete(id);
    return run;
  }

  /** Ends what nobody took. */
  drop(id: string): void {
    this.#held.get(id)?.end();
    this.#held.delete(id);
  }
}

/** Rows that are picked are written into a file first, and cohorts may be counted anew: that is work for the job. */
function isEasy({ pinned, statement }: StatementPlan): boolean {
  return pinned.sight.real === true && !statement.tables.includes('cohort');
}
