import { writeFile } from 'node:fs/promises';
import {
  type BoundStatement,
  type CheckedStatement,
  type Engine,
  EngineError,
  hiddenValue,
  identifier,
  literal,
  type QueryOutcome,
  type QueryProgress,
  type QueryTask,
  type RemotePages,
  runRemotely,
  type TrinoAddress,
  TrinoRefused,
} from '@ploidy/engine';
import { Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { countsMinOf, type Lake, type PinnedVersion, shapesOf } from '../../lake/index.ts';
import type { ReadingTokens } from './reading-token.ts';

/** Distributed engine of the service. */
interface RemoteSettings {
  address: TrinoAddress;
  /** Size of the files that a statement opens from which on it runs there. */
  bytesMin: number;
  runTimeMaxMs: number;
  /** Size of a result as the cluster sends it. */
  resultBytesMax: number;
}

/** Run of a query that may leave the process. */
interface RemoteRun extends Pick<QueryTask, 'outputPath' | 'format' | 'runTimeMaxMs'> {
  query: string;
  /** Statement as it was sent. */
  text: string;
  checked: CheckedStatement;
  pinned: PinnedVersion;
}

export interface RemoteQueryDeps {
  engine: Engine;
  lake: Lake;
  blobs: Blobs;
  tokens: ReadingTokens;
}

/** Types whose texts the cluster and the local engine read alike. */
const plainType =
  /^(?:VARCHAR|BIGINT|INTEGER|SMALLINT|TINYINT|HUGEINT|DOUBLE|FLOAT|BOOLEAN|DATE|TIMESTAMP|DECIMAL\(\d+,\s*\d+\))$/;

/** Runs statements over large tables in the distributed engine; the local one decides about all others. */
export class RemoteQueries {
  readonly #deps: RemoteQueryDeps;
  readonly #settings: RemoteSettings;

  constructor(deps: RemoteQueryDeps, settings: RemoteSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** Runs a statement, and writes its rows to `outputPath`; nothing if the statement stays on the local engine. */
  async run(
    run: RemoteRun,
    signal: AbortSignal,
    onProgress: (progress: QueryProgress) => void,
  ): Promise<QueryOutcome | undefined> {
    const countsMin = countsMinOf(run.pinned.access);
    if (run.checked.sortsTables || (countsMin ?? 0) > 0) return undefined;
    const { pinned, checked } = run;
    // Trino promises no order of evaluation: a condition could meet rows that the caller may not see.
    if (typeof pinned.access.real !== 'boolean' || typeof pinned.access.masked !== 'boolean')
      return undefined;
    const reading = await this.#deps.lake.remoteReading(pinned, checked.tables);
    if (!reading || reading.size < this.#settings.bytesMin) return undefined;
    const bound = await this.#bound(run);
    if (!bound?.columns.every(({ type }) => plainType.test(type))) return undefined;
    const tables = { query: run.query, project: pinned.id, version: pinned.version, tables: reading.tables };
    const task = { sql: run.text, isMasked: countsMin !== undefined, views: reading.views };
    const sql = await this.#deps.engine.translate({
      ...task,
      namespace: this.#deps.tokens.namespaceOf(tables),
    });
    if (sql === undefined) return undefined;
    const statement = { sql, token: this.#deps.tokens.make(tables), rowCount: reading.rowCount };
    return this.#fetched({ ...run, ...statement, bound }, signal, onProgress);
  }

  /** Returns the columns of the result. A statement that no longer fits its tables fails on the local engine. */
  async #bound({ text, checked, pinned }: RemoteRun): Promise<BoundStatement | undefined> {
    const { engine, lake } = this.#deps;
    const snapshot = await lake.snapshot(pinned.id, pinned.access);
    try {
      return await engine.bind(text, checked.sql, shapesOf(checked.tables, snapshot));
    } catch (error) {
      if (error instanceof Problem && error.status === 400) return undefined;
      throw error;
    }
  }

  async #fetched(
    run: RemoteRun & { sql: string; token: string; rowCount: number; bound: BoundStatement },
    signal: AbortSignal,
    onProgress: (progress: QueryProgress) => void,
  ): Promise<QueryOutcome | undefined> {
    const { blobs } = this.#deps;
    const { address, resultBytesMax: bytesMax } = this.#settings;
    const runTimeMaxMs = Math.min(run.runTimeMaxMs ?? Number.POSITIVE_INFINITY, this.#settings.runTimeMaxMs);
    const pagesPath = await blobs.scratchPath('json');
    try {
      await writeFile(pagesPath, '');
      const { sql, token, rowCount } = run;
      const statement = { sql, token, rowCount, name: `q-${run.query}`, runTimeMaxMs, bytesMax };
      const { pageBytesMax } = await runRemotely(address, statement, pagesPath, signal, onProgress);
      return await this.#written(run, { path: pagesPath, pageBytesMax }, signal);
    } catch (error) {
      if (error instanceof TrinoRefused) return undefined;
      // An error quotes the value of a row that the caller may not see.
      const isHidden =
        run.pinned.access.real !== true && error instanceof EngineError && error.code === 'SQL';
      throw isHidden ? hiddenValue() : error;
    } finally {
      await blobs.discardScratch(pagesPath);
    }
  }

  /** Writes the result with the local engine: forms of values exist once. */
  #written(
    { bound, outputPath, checked, format }: RemoteRun & { bound: BoundStatement },
    { path, pageBytesMax }: RemotePages & { path: string },
    signal: AbortSignal,
  ): Promise<QueryOutcome> {
    const columns = bound.columns.map(
      ({ name, type }, at) => `CAST(r[${at + 1}] AS ${type}) AS ${identifier(name)}`,
    );
    const rows = `SELECT unnest(data) AS r FROM read_json(${literal(path)}, format = 'newline_delimited',
      columns = {data: 'VARCHAR[][]'}, maximum_object_size = ${Math.max(pageBytesMax, pageBytesMin)})`;
    const statement = {
      sql: `SELECT ${columns.join(', ')} FROM _rows`,
      tables: ['_rows'],
      ...(checked.discreet && { discreet: true }),
    };
    const tables = [{ name: '_rows', sql: rows, files: [path] }];
    const task = { statement, tables, outputPath, ...(format && { format }) };
    return this.#deps.engine.query(task, signal);
  }
}

/** The engine reserves several buffers of the largest page. */
const pageBytesMin = 2 ** 20;
