import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Engine, QueryTask } from '@ploidy/engine';
import type { Caller } from '../../../access/caller.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Places } from '../../../platform/jobs/places.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import { contentTypeOf } from '../result-format.ts';
import { problemOfRows, type RowsFile, removedAfter, rowsBody } from '../row-lines.ts';
import {
  columnsOfResult,
  everyRowStatement,
  notPaged,
  pageStatement,
  type ResultColumn,
  type RowChoice,
  type RowsPage,
  resultSource,
  resultTable,
  summaryStatement,
} from './result-statement.ts';

/** Limits of an answer that a caller waits for. */
const runTimeMaxMs = 30_000;
const pageMaxBytes = 16 * 1024 * 1024;
/** A whole result as CSV. */
const wholeRunTimeMaxMs = 10 * 60_000;
/** Results whose columns are kept in memory. */
const shapesMax = 1000;

interface ResultRowsDeps {
  engine: Engine;
  blobs: Blobs;
  /** Places that queries share. */
  queryPlaces: Places;
}

type By = { caller: Caller; signal: AbortSignal };

/** Measures of a column among the chosen rows; `null` where its type has none. */
interface ColumnMeasures {
  missing: number;
  distinct: number;
  min: unknown;
  max: unknown;
  median: unknown;
}

/** Returns rows of the results of queries: pages, sorted and filtered by the engine, as the file holds them. */
export class ResultRows {
  readonly #deps: ResultRowsDeps;
  /** Columns of results by the key of their bytes, which never change. */
  readonly #shapes = new Map<string, ResultColumn[]>();

  constructor(deps: ResultRowsDeps) {
    this.#deps = deps;
  }

  /** Returns a page as the bytes of a JSON object: `columns` and `rows`. */
  async page(file: FilesTable, page: RowsPage, by: By): Promise<Readable> {
    const columns = await this.#columns(file, by);
    const statement = pageStatement(columns, page);
    return rowsBody(this.#deps.blobs, { columns }, await this.#rows(file, statement, page.rowsMax, by));
  }

  /** Returns all chosen rows as a file of comma-separated values. */
  async csv(file: FilesTable, choice: Omit<RowsPage, 'offset' | 'rowsMax'>, by: By): Promise<Readable> {
    const statement = everyRowStatement(await this.#columns(file, by), choice);
    const { path } = await this.#run(file, statement, { format: 'csv', runTimeMaxMs: wholeRunTimeMaxMs }, by);
    return removedAfter(this.#deps.blobs, path, createReadStream(path));
  }

  /** Counts the chosen rows and, with `column`, measures it among them. */
  async summary(
    file: FilesTable,
    choice: RowChoice & { column?: string },
    by: By,
  ): Promise<{ rowCount: number; measures?: ColumnMeasures }> {
    const statement = summaryStatement(await this.#columns(file, by), choice);
    const { path } = await this.#rows(file, statement, 1, by);
    try {
      const [rowCount, missing, distinct, min, max, median] = JSON.parse(await readFile(path, 'utf8'));
      return {
        rowCount,
        ...(choice.column !== undefined && { measures: { missing, distinct, min, max, median } }),
      };
    } finally {
      await this.#deps.blobs.discardScratch(path);
    }
  }

  async #columns(file: FilesTable, by: By): Promise<ResultColumn[]> {
    if (file.origin !== 'query' || file.content_type !== contentTypeOf('parquet')) throw notPaged();
    const known = this.#shapes.get(file.blob_key);
    if (known) return known;
    const { path, outcome } = await this.#rows(file, `SELECT * FROM ${resultTable}`, 0, by);
    await this.#deps.blobs.discardScratch(path);
    const columns = columnsOfResult(outcome.columns ?? []);
    const [oldest] = this.#shapes.keys();
    if (oldest !== undefined && this.#shapes.size >= shapesMax) this.#shapes.delete(oldest);
    this.#shapes.set(file.blob_key, columns);
    return columns;
  }

  #rows(file: FilesTable, sql: string, rowsMax: number, by: By): Promise<RowsFile> {
    const page = { offset: 0, rowsMax };
    return this.#run(file, sql, { format: 'rows', page, runTimeMaxMs, outputMaxBytes: pageMaxBytes }, by);
  }

  /** Runs a statement over a result in a place of the queries, into a file that the caller removes. */
  async #run(
    { blob_key: key, size, sha256, ...file }: FilesTable,
    sql: string,
    form: Pick<QueryTask, 'format' | 'page' | 'runTimeMaxMs' | 'outputMaxBytes'>,
    { caller, signal }: By,
  ): Promise<RowsFile> {
    const { engine, blobs, queryPlaces } = this.#deps;
    const whose = { account: file.account_id, project: file.project_id, user: caller.person };
    const statement = { sql, tables: [resultTable] };
    const run = queryPlaces.use(whose, signal, async (placed) => {
      // A run that yields removes its file a moment later, so each has its own.
      const outputPath = await blobs.scratchPath('rows');
      const query = ([path = '']: string[]) => {
        const tables = [{ name: resultTable, sql: resultSource(path), files: [path] }];
        return engine.query({ statement, tables, outputPath, caller: caller.userId, ...form }, placed);
      };
      try {
        const outcome = await blobs.withLocal([{ key, size, sha256 }], query, { signal: placed });
        return { path: outputPath, outcome };
      } catch (error) {
        await blobs.discardScratch(outputPath);
        throw error;
      }
    });
    return run.catch((error: unknown) => {
      throw problemOfRows(error, signal) ?? error;
    });
  }
}
