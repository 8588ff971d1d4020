import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** DuckDB with the service's settings in this process, over the Parquet files of a service. */
export class DuckdbAlone {
  readonly #connection: DuckDBConnection;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** `folder`: the data folder of a service with one project. */
  static async open(folder: string): Promise<DuckdbAlone> {
    const records = new DatabaseSync(join(folder, 'records.sqlite'), { readOnly: true });
    const segments = records
      .prepare('select table_name, blob_key from segments where removed_version is null')
      .all();
    records.close();
    const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GiB' });
    const connection = await instance.connect();
    for (const [table, files] of Map.groupBy(segments, ({ table_name }) => String(table_name))) {
      const paths = files.map(({ blob_key }) => {
        const key = String(blob_key);
        return `'${join(folder, 'blobs', key.slice(0, 2), key)}'`;
      });
      await connection.run(
        `CREATE VIEW ${table} AS SELECT * FROM read_parquet([${paths.join()}], union_by_name = true)`,
      );
    }
    return new DuckdbAlone(connection);
  }

  /** Writes the result of a statement as CSV. */
  async copy(sql: string, path: string): Promise<{ rows: number; ms: number }> {
    const from = performance.now();
    const reader = await this.#connection.runAndReadAll(`COPY (${sql}) TO '${path}' (FORMAT csv, HEADER)`);
    return { rows: Number(reader.getRows()[0]?.[0] ?? 0), ms: performance.now() - from };
  }
}
