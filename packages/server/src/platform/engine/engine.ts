import type { ConversionTask, ConvertedGenomics, ConvertedTable, Warning } from './conversion.ts';

/** A relation that a query may read: its SQL over Parquet files, and exactly the files that SQL opens. */
export interface QueryTable {
  name: string;
  /** A SELECT that the engine makes a view of; written by us, never by the caller. */
  sql: string;
  files: string[];
  /** Rows that `sql` reads by name and that are computed before the statement begins. */
  settled?: SettledRows;
}

/**
 * Rows that are written into a file before a statement begins, so that nothing which the statement says is ever evaluated
 * on those that were left out.
 */
export interface SettledRows {
  name: string;
  /** A SELECT of ours over exactly these files. */
  sql: string;
  files: string[];
}

/** A statement that passed the guard. */
export interface CheckedStatement {
  /** The canonical text, printed from the syntax tree that was checked. This is what runs. */
  sql: string;
  /** Names of the project's tables that it reads. */
  tables: string[];
  /** What goes wrong while it runs is told without the value that it went wrong with. */
  discreet?: boolean;
  /** It may answer something else over the same data at another time. */
  asksClock?: true;
}

/** A table as a statement sees it, without its rows. */
export interface TableShape {
  name: string;
  /** `type`: as the engine writes it. */
  columns: { name: string; type: string }[];
  rowCount: number;
}

/** What a statement would give. */
export interface BoundStatement {
  /** Headers of the result, and types as the engine writes them. */
  columns: { name: string; type: string }[];
  /** What the engine expects from the sizes of the tables. */
  estimatedRows: number;
}

export interface QueryTask {
  statement: CheckedStatement;
  tables: QueryTable[];
  /** Scratch path; the rows are written here. */
  outputPath: string;
  /** Parquet for what the service reads again: a value comes back as it was. CSV unless told. */
  format?: 'parquet';
  /** Longest run, where that is less than of any query; the wait for a turn does not count. */
  runTimeMaxMs?: number;
}

export interface QueryOutcome {
  rowCount: number;
  /** Bytes of the file. */
  size: number;
  sha256: string;
}

/** A statement of the service's own, with what people gave as parameters (`$1`…), over paths that the caller keeps there. */
export interface AnswerTask {
  sql: string;
  parameters: readonly (string | number | boolean)[];
  /** Scratch path of a Parquet file for the rows; absent: they come back. */
  outputPath?: string;
}

/** A Parquet file to write from the rows of others. */
export interface Rewrite {
  /** A SELECT written by us; the file keeps its order. */
  select: string;
  /** Exactly the files that it opens. */
  files: string[];
  /** In the task's folder. */
  path: string;
}

export interface RewriteTask {
  rewrites: Rewrite[];
  /** Empty scratch folder. */
  outputFolder: string;
}

/** A failure that a person caused or can mend: `message` is for him and holds no path of the host. */
export class EngineError extends Error {
  readonly code: 'SQL' | 'MEMORY' | 'TIME' | 'DISK' | 'RESULT_SIZE' | 'WORKER_LOST' | 'INPUT';
  /** Of a broken input. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    code: EngineError['code'],
    message: string,
    place: { line?: number | undefined; column?: number | undefined } = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    this.line = place.line;
    this.column = place.column;
  }
}

export interface QueryProgress {
  /** 0..1, or undefined while unknown. */
  fraction: number | undefined;
}

export interface ConversionProgress {
  bytes: number;
  rows: number;
}

/** Of a finished file. */
interface Sealed {
  size: number;
  sha256: string;
}

export type SealedGenomics = ConvertedGenomics & Sealed;

export interface ConversionOutcome {
  tables: (ConvertedTable & Sealed)[];
  /** Of a conversion that gives no tables. */
  genomics?: SealedGenomics;
  warnings: Warning[];
  warningCount: number;
}

/** The query engine behind processes of its own: what a statement or an input does to them never hurts the service. */
export interface Engine {
  /**
   * Checks a statement against the allow-lists: one SELECT, only `tableNames`, only known functions.
   * Rejects with Problem 400 `INVALID_QUERY` (details: path `body/query`, message with line and column).
   *
   * `countsMin`, when it is not 0: the statement must be counts and sums, and comes back so that it leaves out what is
   * about fewer patients. Each table has then a column `_patient` that tells whom a row is about.
   */
  check(sql: string, tableNames: string[], countsMin?: number): Promise<CheckedStatement>;
  /**
   * Binds a statement that passed the guard to tables without their rows: `sql` as it was sent, so that a mistake is told where it
   * stands in it, and `checked` as it will run. Rejects as `check` does when it names what is not there or does not fit the types;
   * answers nothing when that cannot be told without running it.
   */
  bind(sql: string, checked: string, tables: TableShape[]): Promise<BoundStatement | undefined>;
  /** Rejects as `bind` does, without working out what the statement would give. */
  prove(sql: string, checked: string, tables: TableShape[]): Promise<void>;
  /** `mayBegin`: a process is made ready at once, and reads no row before this resolves. */
  query(
    task: QueryTask,
    signal: AbortSignal,
    onProgress?: (progress: QueryProgress) => void,
    mayBegin?: Promise<void>,
  ): Promise<QueryOutcome>;
  /** Whether a process waits for a query besides one for the next who asks. */
  hasSpareWorker(): boolean;
  /** Rows of a statement, values as JSON has them (64-bit numbers are texts); the statement limits how many. */
  answer(task: Omit<AnswerTask, 'outputPath'>, signal: AbortSignal): Promise<Record<string, unknown>[]>;
  /** Writes the rows of a statement as Parquet to `outputPath`, where a failure leaves nothing. */
  write(task: Required<AnswerTask>, signal: AbortSignal): Promise<QueryOutcome>;
  convert(
    task: ConversionTask,
    signal: AbortSignal,
    onProgress?: (progress: ConversionProgress) => void,
  ): Promise<ConversionOutcome>;
  /** Writes files anew, one after the other, in a process that gives way to everything else; answers what each has become. */
  rewrite(task: RewriteTask, signal: AbortSignal): Promise<QueryOutcome[]>;
  /** For /readyz: an idle worker answers. */
  ready(): Promise<void>;
  /** Kills all workers and removes their folders. */
  close(): Promise<void>;
}
