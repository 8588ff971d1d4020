import {
  type BoundStatement,
  type CheckedStatement,
  type EngineCaller,
  EngineError,
  EngineUnavailable,
  StatementRefused,
  type TableShape,
  type Translation,
  type TranslationTask,
} from '../engine.ts';
import { FairTurns } from '../fair-turns.ts';
import type { CheckLimits } from '../settings.ts';
import type { WorkerProcess } from '../worker-process.ts';
import type { InspectionLimits } from './inspect.ts';
import type { Refusal } from './refusal.ts';

/** Tasks of the guard's process: whether a statement is allowed, and its result. */
export interface CheckTask {
  sql: string;
  tableNames: string[];
  limits: InspectionLimits & { countsMin?: number | undefined };
}

export interface BindTask {
  sql: string;
  /** Statement as it will run. */
  checked: string;
  /** Set if the description of the result is not needed. */
  isOnlyProved: boolean;
  tables: TableShape[];
}

type RefusedAnswer = {
  refusal: { message: string } & Partial<Pick<Refusal, 'offset' | 'kind' | 'subject'>>;
};

export type CheckAnswer = { statement: CheckedStatement } | RefusedAnswer;

/** The channel omits undefined values. */
export type BindAnswer = { bound?: BoundStatement | undefined } | RefusedAnswer;

export type TranslationAnswer = { translated: Translation };

/** Maximum statements of one caller that wait for the guard. */
const waitingMax = 20;

/** Queries one warm process about statements, one after the other; a process that a statement breaks is replaced. */
export class Guard {
  readonly #start: () => Promise<WorkerProcess>;
  readonly #limits: CheckLimits;
  #worker: Promise<WorkerProcess> | undefined;
  readonly #turns = new FairTurns(1, { waitingMax });
  #closed = false;

  constructor(start: () => Promise<WorkerProcess>, limits: CheckLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  async open(): Promise<void> {
    await this.#take();
  }

  /** Rejects with `StatementRefused`, or `EngineUnavailable` when the process cannot be started. */
  async check(
    sql: string,
    tableNames: string[],
    countsMin?: number,
    caller?: EngineCaller,
  ): Promise<CheckedStatement> {
    const { queryTextMaxBytes } = this.#limits;
    if (Buffer.byteLength(sql) > queryTextMaxBytes) {
      const message = `the statement is longer than ${queryTextMaxBytes} bytes, which is the limit`;
      throw refused(sql, { message, kind: 'form' });
    }
    const broken = /\0|\p{Surrogate}/u.exec(sql);
    if (broken) {
      const offset = Buffer.byteLength(sql.slice(0, broken.index));
      const message = 'the statement holds a character that is not valid in a text';
      throw refused(sql, { message, offset, kind: 'syntax' });
    }
    return await this.#inTurn(caller, () => this.#check(sql, tableNames, countsMin));
  }

  /** Rejects with `StatementRefused`; returns undefined when planning exceeds the limits of the process. */
  async bind(
    sql: string,
    checked: string,
    tables: TableShape[],
    caller?: EngineCaller,
  ): Promise<BoundStatement | undefined> {
    return await this.#inTurn(caller, () => this.#bind({ sql, checked, tables, isOnlyProved: false }));
  }

  /** Rejects as `bind` does, and returns nothing. */
  async prove(sql: string, checked: string, tables: TableShape[], caller?: EngineCaller): Promise<void> {
    await this.#inTurn(caller, () => this.#bind({ sql, checked, tables, isOnlyProved: true }));
  }

  /** Returns the reason for a statement that cannot be printed. */
  async translate(task: TranslationTask, caller?: EngineCaller): Promise<Translation> {
    try {
      const answer = await this.#inTurn(caller, () => this.#run(task));
      return (answer as TranslationAnswer).translated;
    } catch (error) {
      if (error instanceof EngineError) return { reason: 'The statement is too large to be translated.' };
      throw error;
    }
  }

  async #inTurn<T>(caller: EngineCaller | undefined, work: () => Promise<T>): Promise<T> {
    await this.#turns.take(caller?.name, caller?.signal);
    try {
      return await work();
    } finally {
      this.#turns.give();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.stop();
  }

  async #check(sql: string, tableNames: string[], countsMin: number | undefined): Promise<CheckedStatement> {
    const { nodesMax, tablesMax } = this.#limits;
    const task: CheckTask = { sql, tableNames, limits: { nodesMax, tablesMax, countsMin } };
    let answer: CheckAnswer;
    try {
      answer = (await this.#run(task)) as CheckAnswer;
    } catch (error) {
      // The statement caused this in the process: time, memory, or a second end.
      if (error instanceof EngineError)
        throw refused(sql, { message: 'the statement is too complicated to be read' });
      throw error;
    }
    if ('statement' in answer) return answer.statement;
    throw refused(sql, answer.refusal);
  }

  async #bind(task: BindTask): Promise<BoundStatement | undefined> {
    const { sql } = task;
    let answer: BindAnswer;
    try {
      answer = (await this.#run(task)) as BindAnswer;
    } catch (error) {
      // A correct statement may be hard to plan: the run decides about it.
      if (error instanceof EngineError) return undefined;
      throw error;
    }
    if ('refusal' in answer) throw refused(sql, answer.refusal);
    return answer.bound;
  }

  async #run(task: CheckTask | BindTask | TranslationTask): Promise<unknown> {
    const { checkMaxMs, residentMaxBytes } = this.#limits;
    const limits = {
      residentMaxBytes,
      runTimeMaxMs: checkMaxMs,
      outputMaxBytes: Number.POSITIVE_INFINITY,
      temporaryMaxBytes: Number.POSITIVE_INFINITY,
      // A check writes nothing.
      diskReserveBytes: 0,
    };
    const worker = await this.#take();
    try {
      return await worker.run({ task, limits });
    } catch (error) {
      this.#replace(worker);
      // A process may have ended or hung for another reason: a statement at fault does the same to the next one.
      if (!(error instanceof EngineError) || error.code !== 'WORKER_LOST') throw error;
      return await (await this.#take()).run({ task, limits });
    }
  }

  async #take(): Promise<WorkerProcess> {
    if (this.#closed) throw new Error('the engine is closed');
    try {
      return await (this.#worker ?? this.#begin());
    } catch (cause) {
      throw new EngineUnavailable(cause);
    }
  }

  #begin(): Promise<WorkerProcess> {
    const starting = this.#start();
    this.#worker = starting;
    starting.then(
      // Killed from outside while it waited: the next check starts a new one.
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

  /** Starts the next process at once, so that the next check need not wait for it. */
  #replace(broken: WorkerProcess): void {
    void broken.stop();
    if (this.#closed) return;
    this.#begin().catch(() => undefined);
  }
}

const messageMax = 500;

function refused(sql: string, refusal: RefusedAnswer['refusal']): StatementRefused {
  const { message, offset, kind, subject } = refusal;
  const place = offset === undefined ? undefined : placeOf(sql, offset);
  const where = place ? `line ${place.line}, column ${place.column}: ` : '';
  // A message may repeat a word of the statement, and a word may be as long as the statement.
  const text = message.length > messageMax ? `${message.slice(0, messageMax)}…` : message;
  return new StatementRefused(`${where}${text}`, { text, offset, kind, subject });
}

/** Returns line and column, from 1, of a byte offset in the UTF-8 text; columns count characters. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = Buffer.from(text, 'utf8').subarray(0, offset).toString('utf8').split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
