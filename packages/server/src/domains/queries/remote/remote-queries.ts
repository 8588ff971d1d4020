import { writeFile } from 'node:fs/promises';
import {
  type BoundStatement,
  type CheckedStatement,
  type Engine,
  EngineError,
  type QueryOutcome,
  type QueryProgress,
  type QueryTask,
  type RemotePages,
  rowsOfPages,
  runRemotely,
  type TrinoAddress,
  TrinoRefused,
} from '@ploidy/engine';
import { Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Logger } from '../../../platform/log/log.ts';
import {
  countsMinOf,
  type Lake,
  type PinnedVersion,
  type RemoteReading,
  shapesOf,
} from '../../lake/index.ts';
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
interface RemoteRun
  extends Pick<QueryTask, 'outputPath' | 'format' | 'timestamps' | 'isPacked' | 'runTimeMaxMs'> {
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
  log: Logger;
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

  /**
   * Runs a statement, and writes its rows to `outputPath`; nothing if the statement stays on the local engine. The log has
   * the reason for a statement over large tables.
   */
  async run(
    run: RemoteRun,
    signal: AbortSignal,
    onProgress: (progress: QueryProgress) => void,
  ): Promise<QueryOutcome | undefined> {
    const { pinned, checked } = run;
    const reading = await this.#deps.lake.remoteReading(pinned, checked.tables);
    if (!reading || reading.size < this.#settings.bytesMin) return undefined;
    const prepared = await this.#prepared(run, reading);
    if ('reason' in prepared) return this.#stays(run, prepared.reason);
    return this.#fetched({ ...run, ...prepared, rowCount: reading.rowCount }, signal, onProgress);
  }

  /** Returns the statement in the cluster's dialect, or the reason why it stays. */
  async #prepared(
    run: RemoteRun,
    { views, tables: names }: RemoteReading,
  ): Promise<{ sql: string; token: string; bound: BoundStatement } | { reason: string }> {
    const { pinned, checked } = run;
    const countsMin = countsMinOf(pinned.access);
    if (checked.sortsTables) return { reason: 'Its rows depend on the order of rows, which is hidden.' };
    if ((countsMin ?? 0) > 0) return { reason: 'Its caller may not see small counts.' };
    // Trino promises no order of evaluation: a condition could meet rows that the caller may not see.
    if (typeof pinned.access.real !== 'boolean' || typeof pinned.access.masked !== 'boolean')
      return { reason: 'Its caller may see some rows only.' };
    const bound = await this.#bound(run);
    if (!bound?.columns.every(({ type }) => plainType.test(type)))
      return { reason: 'A column of its result has a type that is read by the local engine only.' };
    const tables = { query: run.query, project: pinned.id, version: pinned.version, tables: names };
    const translation = await this.#deps.engine.translate({
      ...{ sql: run.text, isMasked: countsMin !== undefined, views },
      namespace: this.#deps.tokens.namespaceOf(tables),
      types: bound.columns.map(({ type }) => type),
    });
    if ('reason' in translation) return translation;
    return { sql: translation.sql, token: this.#deps.tokens.make(tables), bound };
  }

  #stays({ query }: RemoteRun, reason: string): undefined {
    this.#deps.log.info({ queryId: query, reason }, 'a statement over large tables runs in this process');
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
      // The local engine decides about values that fail in the cluster, or that it cannot read.
      if (error instanceof TrinoRefused) return this.#stays(run, error.message);
      if (error instanceof EngineError && error.code === 'SQL')
        return this.#stays(run, 'The result of the cluster cannot be read.');
      throw error;
    } finally {
      await blobs.discardScratch(pagesPath);
    }
  }

  /** Writes the result with the local engine: forms of values exist once. */
  #written(
    {
      bound,
      outputPath,
      checked,
      format,
      timestamps = 'utc',
      isPacked = false,
    }: RemoteRun & { bound: BoundStatement },
    { path, pageBytesMax }: RemotePages & { path: string },
    signal: AbortSignal,
  ): Promise<QueryOutcome> {
    const { relation, list } = rowsOfPages(path, { pageBytesMax }, bound.columns);
    const statement = {
      sql: `SELECT ${list} FROM _rows`,
      tables: ['_rows'],
      ...(checked.discreet && { discreet: true }),
    };
    const tables = [{ name: '_rows', sql: relation, files: [path] }];
    const task = { statement, tables, outputPath, timestamps, isPacked, ...(format && { format }) };
    return this.#deps.engine.query(task, signal);
  }
}
