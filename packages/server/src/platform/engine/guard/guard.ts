import { Problem } from '../../../problem.ts';
import { type BoundStatement, type CheckedStatement, EngineError, type TableShape } from '../engine.ts';
import type { CheckLimits } from '../settings.ts';
import type { WorkerProcess } from '../worker-process.ts';
import type { InspectionLimits } from './inspect.ts';
import { placeOf } from './place.ts';

/** What the service asks the guard's process: whether a statement is allowed, or what it would give. */
export interface CheckTask {
  sql: string;
  tableNames: string[];
  limits: InspectionLimits & { countsMin: number };
}

export interface BindTask {
  sql: string;
  /** The same as it will run. */
  checked: string;
  /** What it would give is not asked. */
  isOnlyProved: boolean;
  tables: TableShape[];
}

type RefusedAnswer = { refusal: { message: string; offset?: number | undefined } };

export type CheckAnswer = { statement: CheckedStatement } | RefusedAnswer;

/** The channel leaves out what is undefined. */
export type BindAnswer = { bound?: BoundStatement | undefined } | RefusedAnswer;

/** Asks one warm process about statements, one after the other; a process that a statement breaks is replaced. */
export class Guard {
  readonly #start: () => Promise<WorkerProcess>;
  readonly #limits: CheckLimits;
  #worker: Promise<WorkerProcess> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(start: () => Promise<WorkerProcess>, limits: CheckLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  async open(): Promise<void> {
    await this.#take();
  }

  /** Rejects with Problem 400 `INVALID_QUERY`, or 503 when the process cannot be started. */
  async check(sql: string, tableNames: string[], countsMin = 0): Promise<CheckedStatement> {
    const { queryTextMaxBytes } = this.#limits;
    if (Buffer.byteLength(sql) > queryTextMaxBytes) {
      throw refused(sql, `the statement is longer than ${queryTextMaxBytes} bytes, which is the limit`);
    }
    const broken = /\0|\p{Surrogate}/u.exec(sql);
    if (broken) {
      const offset = Buffer.byteLength(sql.slice(0, broken.index));
      throw refused(sql, 'the statement holds a character that is not valid in a text', offset);
    }
    return await this.#inTurn(() => this.#check(sql, tableNames, countsMin));
  }

  /** Rejects with Problem 400 `INVALID_QUERY`; answers nothing when planning takes more than the process may use. */
  async bind(sql: string, checked: string, tables: TableShape[]): Promise<BoundStatement | undefined> {
    return await this.#inTurn(() => this.#bind({ sql, checked, tables, isOnlyProved: false }));
  }

  /** Rejects as `bind` does, and answers nothing. */
  async prove(sql: string, checked: string, tables: TableShape[]): Promise<void> {
    await this.#inTurn(() => this.#bind({ sql, checked, tables, isOnlyProved: true }));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const answer = this.#queue.then(work);
    this.#queue = answer.catch(() => undefined);
    return await answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.stop();
  }

  async #check(sql: string, tableNames: string[], countsMin: number): Promise<CheckedStatement> {
    const { nodesMax, tablesMax } = this.#limits;
    const task: CheckTask = { sql, tableNames, limits: { nodesMax, tablesMax, countsMin } };
    let answer: CheckAnswer;
    try {
      answer = (await this.#run(task)) as CheckAnswer;
    } catch (error) {
      // The text did this to the process: time, memory, or twice the end of it.
      if (error instanceof EngineError) throw refused(sql, 'the statement is too complicated to be read');
      throw error;
    }
    if ('statement' in answer) return answer.statement;
    throw refused(sql, answer.refusal.message, answer.refusal.offset);
  }

  async #bind(task: BindTask): Promise<BoundStatement | undefined> {
    const { sql } = task;
    let answer: BindAnswer;
    try {
      answer = (await this.#run(task)) as BindAnswer;
    } catch (error) {
      // It may be right and only hard to plan: whether it can be run shows when it is.
      if (error instanceof EngineError) return undefined;
      throw error;
    }
    if ('refusal' in answer) throw refused(sql, answer.refusal.message, answer.refusal.offset);
    return answer.bound;
  }

  async #run(task: CheckTask | BindTask): Promise<unknown> {
    const { checkMaxMs, residentMaxBytes } = this.#limits;
    const limits = {
      residentMaxBytes,
      runTimeMaxMs: checkMaxMs,
      outputMaxBytes: Number.POSITIVE_INFINITY,
      temporaryMaxBytes: Number.POSITIVE_INFINITY,
    };
    const worker = await this.#take();
    try {
      return await worker.run({ task, limits });
    } catch (error) {
      this.#replace(worker);
      // It had ended or hung before, or something else ended it: a text that is to blame does the same to the next one.
      if (!(error instanceof EngineError) || error.code !== 'WORKER_LOST') throw error;
      return await (await this.#take()).run({ task, limits });
    }
  }

  async #take(): Promise<WorkerProcess> {
    if (this.#closed) throw new Error('the engine is closed');
    try {
      return await (this.#worker ?? this.#begin());
    } catch (cause) {
      const message = 'The query engine cannot be started at the moment. Try again in a while.';
      throw new Problem(503, 'ENGINE_UNAVAILABLE', message, { cause, retryAfterS: 5 });
    }
  }

  #begin(): Promise<WorkerProcess> {
    const starting = this.#start();
    this.#worker = starting;
    starting.then(
      // Killed from outside while it waited: the next check finds a new one.
      (worker) => void worker.exited.then(() => this.#worker === starting && this.#forget(worker)),
      () => {
        if (this.#worker === starting) this.#worker = undefined;
      },
    );
    return starting;
  }

  #forget(worker: WorkerProcess): void {
    this.#worker = undefined;
    void worker.stop();
  }

  /** Right away, so that the next check need not wait for the start of a process. */
  #replace(broken: WorkerProcess): void {
    void broken.stop();
    if (this.#closed) return;
    this.#begin().catch(() => undefined);
  }
}

const messageMax = 500;

function refused(sql: string, message: string, offset?: number): Problem {
  const place = offset === undefined ? undefined : placeOf(sql, offset);
  const where = place ? `line ${place.line}, column ${place.column}: ` : '';
  // A message may repeat a word of the statement, and a word may be as long as the statement.
  const text = `${where}${message.length > messageMax ? `${message.slice(0, messageMax)}…` : message}`;
  return new Problem(400, 'INVALID_QUERY', `The query is not valid: ${text}.`, {
    details: [{ path: 'body/query', message: text }],
  });
}
