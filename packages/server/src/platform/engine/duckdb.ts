import {
  DuckDBArrayType,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
} from '@duckdb/node-api';
import type { Sql } from './conversion.ts';
import { literal } from './worker/quote.ts';

export interface EngineSettings {
  /** Bytes. */
  memoryMaxBytes: number;
  threads: number;
  /** Folder for spilling; created and removed by the owner of the process. */
  temporaryFolder: string;
  temporaryMaxBytes: number;
}

/** A type of a result, as far as its form in a file depends on it. `other`: nested, and left to the engine. */
export type ResultType = { name: string } & (
  | { kind: 'plain' | 'other' }
  | { kind: 'list'; item: ResultType }
  | { kind: 'struct'; fields: { name: string; type: ResultType }[] }
  | { kind: 'map'; key: ResultType; item: ResultType }
);

/** A column of a result. */
export interface ResultColumn {
  name: string;
  type: ResultType;
}

function resultType(type: DuckDBType): ResultType {
  const name = type.toString();
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType)
    return { name, kind: 'list', item: resultType(type.valueType) };
  if (type instanceof DuckDBStructType) {
    const fields = type.entryNames.map((field, index) => ({
      name: field,
      type: resultType(type.entryTypes[index] as DuckDBType),
    }));
    return { name, kind: 'struct', fields };
  }
  if (type instanceof DuckDBMapType)
    return { name, kind: 'map', key: resultType(type.keyType), item: resultType(type.valueType) };
  return { name, kind: type instanceof DuckDBUnionType ? 'other' : 'plain' };
}

/** One engine instance with one connection, in memory, without extensions and persistent secrets. */
export class DuckdbSql implements Sql {
  readonly threads: number;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, threads: number) {
    this.threads = threads;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(settings: EngineSettings): Promise<DuckdbSql> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${settings.memoryMaxBytes}B`,
      threads: String(settings.threads),
      temp_directory: settings.temporaryFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
    });
    const connection = await instance.connect();
    // As an option of `create` this limit is shown but not kept (DuckDB 1.5).
    await connection.run(`SET max_temp_directory_size = '${settings.temporaryMaxBytes}B'`);
    await connection.run('SET enable_progress_bar = true; SET enable_progress_bar_print = false');
    return new DuckdbSql(instance, connection, settings.threads);
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRowObjectsJS();
  }

  /** Rows with values as JSON has them: 64-bit numbers and dates are texts. `$1` is the first of the parameters. */
  async jsonRows(
    sql: string,
    parameters: readonly (string | number | boolean)[],
  ): Promise<Record<string, unknown>[]> {
    const reader = await this.#connection.runAndReadAll(sql, [...parameters]);
    return reader.getRowObjectsJson();
  }

  /** The only value of the only row of a statement with one parameter, a text. */
  async text(sql: string, parameter: string): Promise<string> {
    const prepared = await this.#connection.prepare(sql);
    try {
      prepared.bindVarchar(1, parameter);
      const reader = await prepared.runAndReadAll();
      return String(reader.getRows()[0]?.[0]);
    } finally {
      prepared.destroySync();
    }
  }

  /** The columns that a statement would give; it is planned, not run. */
  async columns(sql: string): Promise<ResultColumn[]> {
    const prepared = await this.#connection.prepare(sql);
    try {
      return Array.from({ length: prepared.columnCount }, (_, index) => ({
        name: prepared.columnName(index),
        type: resultType(prepared.columnType(index)),
      }));
    } finally {
      prepared.destroySync();
    }
  }

  /** From now on the instance opens `paths` and files in `folders` and nothing else, for good. */
  async confine(paths: readonly string[], folders: readonly string[] = []): Promise<void> {
    const list = (items: readonly string[]): string => `[${items.map(literal).join(', ')}]`;
    const settings = [
      `allowed_paths = ${list(paths)}`,
      `allowed_directories = ${list(folders)}`,
      'enable_external_access = false',
    ];
    await this.#connection.run(settings.map((setting) => `SET ${setting}`).join('; '));
  }

  progress(): number | undefined {
    const { percentage } = this.#connection.progress;
    return percentage < 0 ? undefined : percentage / 100;
  }

  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
