import type { Blobs } from '../../platform/blobs/blobs.ts';
import type {
  CheckedStatement,
  Engine,
  QueryOutcome,
  QueryProgress,
  QueryTable,
} from '../../platform/engine/engine.ts';
import type { Lake, PinnedVersion } from './lake.ts';

export interface StatementRunParts {
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
}

/** All that a result depends on. */
export interface StatementPlan {
  pinned: PinnedVersion;
  statement: CheckedStatement;
}

export interface WrittenResult {
  outcome: QueryOutcome;
  /** Scratch path. */
  outputPath: string;
}

/** A statement on its way to its result. A process is made ready for it at once, and begins with its rows when it is told to. */
export class StatementRun {
  readonly plan: StatementPlan;
  readonly #ending = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  readonly #result: Promise<WrittenResult>;
  #hasFailed = false;
  #onProgress: (progress: QueryProgress) => void = () => undefined;

  constructor(parts: StatementRunParts, plan: StatementPlan) {
    this.plan = plan;
    this.#result = this.#run(parts);
    // `begin` tells of it; of a run that never began nobody wants to know.
    this.#result.catch(() => {
      this.#hasFailed = true;
    });
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Rejects with the signal's reason when it is aborted, and as the engine does; nothing is left then. */
  async begin(
    signal: AbortSignal,
    onProgress: (progress: QueryProgress) => void = () => undefined,
  ): Promise<WrittenResult> {
    const abort = (): void => this.end(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#onProgress = onProgress;
    this.#begun.resolve();
    return await this.#result.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Gives it up, with its process. */
  end(reason?: unknown): void {
    this.#ending.abort(reason);
  }

  async #run({ engine, blobs, lake }: StatementRunParts): Promise<WrittenResult> {
    const { pinned, statement } = this.plan;
    const { signal } = this.#ending;
    const outputPath = await blobs.scratchPath('csv');
    const onProgress = (progress: QueryProgress): void => this.#onProgress(progress);
    const read = (tables: QueryTable[]): Promise<QueryOutcome> =>
      engine.query({ statement, tables, outputPath }, signal, onProgress, this.#begun.promise);
    const outcome = await lake.withRelations(pinned, statement.tables, read, signal);
    return { outcome, outputPath };
  }
}
