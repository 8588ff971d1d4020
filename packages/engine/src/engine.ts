import type { Bounds } from '@ploidy/formats/tables';
import type { ConversionTask, ConvertedGenomics, ConvertedTable, Found, Warning } from './conversion.ts';
import type { RefusalKind } from './guard/refusal.ts';
import type { RewriteOutcome, RewriteTask } from './rewrite-task.ts';
import type { TableConditions } from './table-conditions.ts';
import type { TimestampForm } from './task-runtime/csv.ts';
import type { FileDigest } from './task-runtime/digest.ts';
import type { Segment } from './task-runtime/segments.ts';

/** A relation that a query may read: its SQL over Parquet files, and exactly the files that SQL opens. */
export interface QueryTable {
  name: string;
  /** A SELECT that the engine makes a view of; written by us, never by the caller. */
  sql: string;
  files: string[];
  /** Columns that take the place of the order of the files where a statement sorts its tables. */
  orderBy?: string[];
  /** Rows that `sql` reads by name and that are computed before the statement begins. */
  settled?: SettledRows;
}

/** Rows written into a file before a statement begins: nothing of the statement is evaluated on rows left out. */
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
  /** Set if its rows depend on the order of rows in its tables, hidden from callers of masked data. */
  sortsTables?: boolean;
  /** Set to report errors at run time without the offending value. */
  discreet?: boolean;
  /** Set if the result may differ at another time over the same data. */
  asksClock?: true;
  /** Rows of its tables that can matter to it; of other tables all can. */
  conditions?: TableConditions;
}

/** A table as a statement sees it, without its rows. */
export interface TableShape {
  name: string;
  /** `type`: as the engine writes it. */
  columns: { name: string; type: string }[];
  rowCount: number;
}

/** Result shape of a statement: `columns` are headers of the result. */
export interface BoundStatement extends Pick<TableShape, 'columns'> {
  /** Estimate of the engine from the sizes of the tables. */
  estimatedRows: number;
  /** Steps of the run, the last one first, each before those that it reads; `depth`: number of steps above one. */
  plan: { depth: number; step: string; estimatedRows?: number }[];
}

/** Statement to print for the distributed engine, with the relations that its tables are. */
export interface TranslationTask {
  /** Text as it was sent. */
  sql: string;
  /** Set for a caller of masked data, from whom the order of rows is hidden. */
  isMasked: boolean;
  /** Relations over tables of the schema `lake`, for each table that the statement reads. */
  views: RemoteView[];
  /** Name of the schema that replaces `lake`. */
  namespace: string;
  /** Types of the columns of its result, as the local engine writes them. */
  types: string[];
}

/** Statement for the distributed engine, or the reason why it stays on the local one. */
export type Translation = { sql: string } | { reason: string };

export interface RemoteView extends Pick<QueryTable, 'name' | 'sql'> {
  /** Rows that `sql` reads by name, chosen from others before a statement may evaluate anything on them. */
  settled?: Pick<SettledRows, 'name' | 'sql'>;
  /** Columns, which are those of `settled` as well; `type`: as the engine writes it. */
  columns: { name: string; type: string }[];
}

/** Formats of a result: `arrow` is an IPC stream, `ndjson` an object of JSON on each line. */
export const resultFormats = ['csv', 'parquet', 'arrow', 'ndjson'] as const;
export type ResultFormat = (typeof resultFormats)[number];

export interface QueryTask {
  statement: CheckedStatement;
  tables: QueryTable[];
  /** Scratch path; the rows are written here. */
  outputPath: string;
  /** Format of the file; CSV by default. `rows` and `trino`: a JSON array on each line, `lines`: the first column as text. */
  format?: ResultFormat | 'rows' | 'trino' | 'lines';
  /** Timestamps of `csv`, `ndjson` and `rows`; `utc` by default. */
  timestamps?: TimestampForm;
  /** Packs a `trino` result of many rows into segments. */
  isPacked?: boolean;
  /** Part of the result to write, for `rows`. */
  page?: { offset: number; rowsMax: number };
  /** Largest file, where that is less than of any query. */
  outputMaxBytes?: number;
  /** Id of the caller that waits for the rows; queries of jobs have had their turns before. */
  caller?: string;
  /** Longest run, where that is less than of any query; the wait for a turn does not count. */
  runTimeMaxMs?: number;
}

export interface QueryOutcome {
  rowCount: number;
  /** Bytes of the file. */
  size: number;
  sha256: string;
  /** Headers, and types as the engine writes them; of `rows` and `trino`, whose files do not have them. */
  columns?: BoundStatement['columns'];
  /** Segments of a packed result, in the order of the rows. */
  segments?: Segment[];
}

/** A statement of the service's own, with what people gave as parameters (`$1`…), over paths that the caller keeps there. */
export interface AnswerTask {
  sql: string;
  parameters: readonly (string | number | boolean)[];
}

/** Statement whose rows go into a Parquet file at a scratch path. `table`: of the rows, if the bounds of its columns are wanted. */
export type WriteTask = AnswerTask & { outputPath: string; table?: string };

/** Statement that passed the guard, over relations whose rows are part of the task. */
export interface LookUpTask {
  sql: string;
  relations: Relation[];
}

/** Table whose rows the service gives. */
export interface Relation {
  name: string;
  /** `type`: as the engine writes it. */
  columns: { name: string; type: string }[];
  rows: Record<string, unknown>[];
}

/** Rows of a small statement. */
export interface LookedUp {
  columns: BoundStatement['columns'];
  /** A JSON array for each row, as in the format `trino`. */
  lines: string[];
}

/** Longest message of a failure, in characters: the engine quotes values of any length, and the service keeps and lists messages. */
const messageMax = 2000;

/** Cuts the end of a message that is too long to be kept. */
export function shortMessage(message: string): string {
  return message.length <= messageMax ? message : `${message.slice(0, messageMax - 1).toWellFormed()}…`;
}

/** A failure that a user caused or can fix: `message` is meant for users and holds no path of the host. */
export class EngineError extends Error {
  readonly code: 'SQL' | 'MEMORY' | 'TIME' | 'DISK' | 'RESULT_SIZE' | 'WORKER_LOST' | 'INPUT';
  /** Line of a broken input. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    code: EngineError['code'],
    message: string,
    place: { line?: number | undefined; column?: number | undefined } = {},
    cause?: unknown,
  ) {
    super(shortMessage(message), cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
    this.line = place.line;
    this.column = place.column;
  }
}

/** Failure without the value that caused it, which the caller may not see. */
export const hiddenValue = (): EngineError =>
  new EngineError(
    'SQL',
    'A value of the data could not be worked with, and may not be shown here. Use TRY_CAST, or a condition that leaves such rows out.',
  );

/** A statement that the guard does not let run. */
export class StatementRefused extends Error {
  /** The reason, with line and column where they are known. */
  readonly reason: string;
  readonly fault: Fault;

  constructor(reason: string, fault: Fault) {
    super(`The query is not valid: ${reason}.`);
    this.name = 'StatementRefused';
    this.reason = reason;
    this.fault = fault;
  }
}

/** Fault of a statement, for programs. */
export interface Fault {
  /** The reason without its place. */
  text: string;
  /** Bytes from the start of the statement. */
  offset: number | undefined;
  kind: RefusalKind | undefined;
  /** Unknown table, column or function. */
  subject: string | undefined;
}

/** A process of the engine cannot be started. The cause is for the log only. */
export class EngineUnavailable extends Error {
  constructor(cause: unknown) {
    super('The query engine cannot be started at the moment. Try again in a while.', { cause });
    this.name = 'EngineUnavailable';
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

export interface ConversionOutcome {
  tables: (Omit<ConvertedTable, 'digest' | 'values'> & FileDigest & { bounds?: Bounds })[];
  /** Outcome of a conversion without tables. */
  genomics?: ConvertedGenomics & FileDigest;
  /** Absent for genomics. */
  found?: Found;
  warnings: Warning[];
  warningCount: number;
}

/** The caller that a task is done for: callers take turns. */
export interface EngineCaller {
  /** Id of the caller. */
  name: string;
  /** Aborted when the answer is not needed any more. */
  signal?: AbortSignal | undefined;
}

/** The query engine behind processes of its own: what a statement or an input does to them never hurts the service. */
export interface Engine {
  /**
   * Checks a statement against the allow-lists: one SELECT, only `tableNames`, only known functions. Rejects with `StatementRefused`,
   * or `EngineUnavailable` if its process cannot be started. `countsMin` is set for callers of masked data, from whom the order of rows
   * is hidden. Above 0, the statement must be counts and sums, and is rewritten to leave out results about fewer patients. Each table then
   * has a column `_patient` with the patient of a row.
   */
  check(
    sql: string,
    tableNames: string[],
    countsMin?: number,
    caller?: EngineCaller,
  ): Promise<CheckedStatement>;
  /**
   * Binds a statement that passed the guard to tables without rows: `sql` as it was sent, for places in errors, and `checked` as it
   * will run. Rejects as `check` does for unknown names and unfit types; returns nothing if only running the statement can decide.
   */
  bind(
    sql: string,
    checked: string,
    tables: TableShape[],
    caller?: EngineCaller,
  ): Promise<BoundStatement | undefined>;
  /** Rejects as `bind` does, without working out what the statement would give. */
  prove(sql: string, checked: string, tables: TableShape[], caller?: EngineCaller): Promise<void>;
  /** Prints a checked statement in the dialect of the distributed engine, if each part has an equal there. */
  translate(task: TranslationTask, caller?: EngineCaller): Promise<Translation>;
  /** Runs a statement and writes its rows to `outputPath`. */
  query(
    task: QueryTask,
    signal: AbortSignal,
    onProgress?: (progress: QueryProgress) => void,
  ): Promise<QueryOutcome>;
  /** Rows of a statement, values as JSON has them (64-bit numbers are texts); the statement limits how many. */
  answer(task: AnswerTask, signal: AbortSignal, caller?: string): Promise<Record<string, unknown>[]>;
  /** Runs a small statement of a caller in a process that opens no file and is kept for the next; it needs no turn of a query. */
  lookUp(task: LookUpTask, signal: AbortSignal, caller?: string): Promise<LookedUp>;
  /** Writes the rows of a statement as Parquet to `outputPath`, where a failure leaves nothing. */
  write(task: WriteTask, signal: AbortSignal, caller?: string): Promise<RewriteOutcome>;
  convert(
    task: ConversionTask,
    signal: AbortSignal,
    onProgress?: (progress: ConversionProgress) => void,
  ): Promise<ConversionOutcome>;
  /** Rewrites files one by one, in a process that gives way to everything else; returns each result. */
  rewrite(task: RewriteTask, signal: AbortSignal): Promise<RewriteOutcome[]>;
  /** Reports for /readyz whether an idle worker answers. */
  ready(): Promise<void>;
  /** Kills all workers and removes their folders. */
  close(): Promise<void>;
}
