import { flushCompileCache } from 'node:module';
import duckdb, { type Connection, type Database, type DataChunk } from '@duckdb/node-bindings';
import type { Sql } from './conversion.ts';
import { type ResultType, resultType } from './result-type.ts';
import { literal } from './task-runtime/quote.ts';

interface EngineSettings {
  /** Bytes. */
  memoryMaxBytes: number;
  threads: number;
  /** Folder for spilling; created and removed by the owner of the process. */
  temporaryFolder: string;
  temporaryMaxBytes: number;
}

/** A column of a result. */
interface ResultColumn {
  name: string;
  type: ResultType;
}

/**
 * One engine instance with one connection, in memory, without extensions and persistent secrets. It uses the bindings, which
 * suffice for statements: loading the package above them takes as long as loading the engine
 * (docs/design/adr/0003, last supplement).
 */
export class DuckdbSql implements Sql {
  readonly threads: number;
  readonly #database: Database;
  readonly #connection: Connection;

  private constructor(database: Database, connection: Connection, threads: number) {
    this.threads = threads;
    this.#database = database;
    this.#connection = connection;
  }

  static async open(settings: EngineSettings): Promise<DuckdbSql> {
    const config = duckdb.create_config();
    const options = {
      memory_limit: `${settings.memoryMaxBytes}B`,
      threads: String(settings.threads),
      temp_directory: settings.temporaryFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
    };
    for (const [name, value] of Object.entries(options)) duckdb.set_config(config, name, value);
    const database = await duckdb.open(':memory:', config);
    const sql = new DuckdbSql(database, await duckdb.connect(database), settings.threads);
    // As an option of `open` this limit is shown but not kept (DuckDB 1.5).
    await sql.run(`SET max_temp_directory_size = '${settings.temporaryMaxBytes}B'`);
    await sql.run('SET enable_progress_bar = true; SET enable_progress_bar_print = false');
    return sql;
  }

  async run(sql: string): Promise<number> {
    return duckdb.rows_changed(await duckdb.query(this.#connection, sql));
  }

  async count(relation: string): Promise<number> {
    return Number(await this.text(`SELECT count(*)::VARCHAR FROM ${relation}`));
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const { DuckDBConnection } = await valuesOfAnyType();
    const reader = await new DuckDBConnection(this.#connection).runAndReadAll(sql);
    return reader.getRowObjectsJS();
  }

  /** Rows with values as JSON has them: 64-bit numbers and dates are texts. `$1` is the first of the parameters. */
  async jsonRows(
    sql: string,
    parameters: readonly (string | number | boolean)[],
  ): Promise<Record<string, unknown>[]> {
    const { BOOLEAN, DOUBLE, DuckDBConnection, VARCHAR } = await valuesOfAnyType();
    const typeOf = { boolean: BOOLEAN, number: DOUBLE, string: VARCHAR };
    // Without types the package reads every whole number as one of 64 bits, and fails beyond.
    const types = parameters.map((value) => typeOf[typeof value as keyof typeof typeOf]);
    const connection = new DuckDBConnection(this.#connection);
    const reader = await connection.runAndReadAll(sql, [...parameters], types);
    return reader.getRowObjectsJson();
  }

  /** Reads the text (not NULL) in the last column of the only row of a statement with this only parameter. */
  async text(sql: string, parameter?: string): Promise<string> {
    const prepared = await duckdb.prepare(this.#connection, sql);
    try {
      if (parameter !== undefined) duckdb.bind_varchar(prepared, 1, parameter);
      const chunk = await duckdb.fetch_chunk(await duckdb.execute_prepared(prepared));
      if (!chunk || duckdb.data_chunk_get_size(chunk) === 0) throw new Error('no row');
      return textOf(chunk);
    } finally {
      duckdb.destroy_prepare_sync(prepared);
    }
  }

  /** Rows of a statement in chunks of the engine, as it makes them. A chunk is valid until the next one is asked for. */
  async *chunks(sql: string): AsyncGenerator<DataChunk> {
    const prepared = await duckdb.prepare(this.#connection, sql);
    try {
      const result = await duckdb.execute_prepared_streaming(prepared);
      for (;;) {
        const chunk = await duckdb.fetch_chunk(result);
        if (!chunk || duckdb.data_chunk_get_size(chunk) === 0) return;
        yield chunk;
      }
    } finally {
      duckdb.destroy_prepare_sync(prepared);
    }
  }

  /** Returns the columns that a statement would give; it is planned, not run. */
  async columns(sql: string): Promise<ResultColumn[]> {
    const prepared = await duckdb.prepare(this.#connection, sql);
    try {
      return Array.from({ length: duckdb.prepared_statement_column_count(prepared) }, (_, index) => ({
        name: duckdb.prepared_statement_column_name(prepared, index),
        type: resultType(duckdb.prepared_statement_column_logical_type(prepared, index)),
      }));
    } finally {
      duckdb.destroy_prepare_sync(prepared);
    }
  }

  /** Restricts the instance for good to `paths` and the files in `folders`. */
  async confine(paths: readonly string[], folders: readonly string[] = []): Promise<void> {
    const list = (items: readonly string[]): string => `[${items.map(literal).join(', ')}]`;
    const settings = [
      `allowed_paths = ${list(paths)}`,
      `allowed_directories = ${list(folders)}`,
      'enable_external_access = false',
    ];
    await this.run(settings.map((setting) => `SET ${setting}`).join('; '));
  }

  progress(): number | undefined {
    const { percentage } = duckdb.query_progress(this.#connection);
    return percentage < 0 ? undefined : percentage / 100;
  }

  interrupt(): void {
    duckdb.interrupt(this.#connection);
  }

  close(): void {
    duckdb.disconnect_sync(this.#connection);
    duckdb.close_sync(this.#database);
  }
}

let loaded: Promise<typeof import('@duckdb/node-api')> | undefined;

/** Creates values of every type over a connection. Loaded with the first rows. */
function valuesOfAnyType(): Promise<typeof import('@duckdb/node-api')> {
  loaded ??= import('@duckdb/node-api').then((api) => {
    // The process is going to be killed, not to exit; the next one shall find the compiled code.
    flushCompileCache();
    return api;
  });
  return loaded;
}

/** Returns the first value of the last column, which holds texts: a `duckdb_string_t` of the engine's C interface. */
function textOf(chunk: DataChunk): string {
  const vector = duckdb.data_chunk_get_vector(chunk, duckdb.data_chunk_get_column_count(chunk) - 1);
  // One bit a row; none where no value is missing.
  const validity = duckdb.vector_get_validity(vector, 8);
  if (validity && ((validity[0] ?? 0) & 1) === 0) throw new Error('NULL is no text');
  const value = Buffer.from(duckdb.vector_get_data(vector, 16));
  const length = value.readUInt32LE();
  // Up to 12 bytes are stored beside the length; longer values by their address.
  if (length <= 12) return value.toString('utf8', 4, 4 + length);
  const bytes = duckdb.get_data_from_pointer(value.buffer, value.byteOffset + 8, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
