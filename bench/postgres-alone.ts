import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { engineTypes, tables } from '../packages/formats/src/index.ts';
import { findPostgres } from '../test/support/postgres-binaries.ts';
import { startServer } from '../test/support/postgres-server.ts';
import type { DuckdbAlone } from './duckdb-alone.ts';
import { parentOf } from './memory.ts';

const indexes = {
  variant: ['gene', 'chromosome, position', 'sample_id'],
  sequence: ['id'],
  condition: ['patient_id'],
};
/** Memory of a query of the service, and some for the server. */
const server = { shared_buffers: '1GB', max_parallel_workers_per_gather: '1', jit: 'on' };
const session = "SET work_mem = '512MB'; SET maintenance_work_mem = '512MB'";
const types: Record<string, string> = { VARCHAR: 'text', DOUBLE: 'double precision' };

/** A PostgreSQL with the same rows in tables with indexes. */
export class PostgresAlone {
  readonly #client: pg.Client;
  /** Size on disk, formatted. */
  readonly size: string;
  /** Process id of the server; its children do the work. */
  readonly pid: number;

  private constructor(client: pg.Client, pid: number, size: string) {
    this.#client = client;
    this.pid = pid;
    this.size = size;
  }

  /** Takes the rows over from the engine, through `folder`, in which both may write. Undefined where there is no PostgreSQL. */
  static async open(folder: string, source: DuckdbAlone): Promise<PostgresAlone | undefined> {
    const bin = findPostgres();
    if (bin === undefined) return undefined;
    const client = new pg.Client({ connectionString: `${await startServer(bin, server)}/postgres` });
    await client.connect();
    await client.query(session);
    for (const [name, indexed] of Object.entries(indexes)) await load(client, folder, source, name, indexed);
    const { rows } = await client.query(
      "select pg_size_pretty(pg_total_relation_size('variant')) as all, pg_size_pretty(pg_relation_size('variant')) as rows, pg_backend_pid() as pid",
    );
    const size = `variants in PostgreSQL: ${rows[0].all}, without indexes ${rows[0].rows}`;
    return new PostgresAlone(client, parentOf(rows[0].pid) ?? 0, size);
  }

  /** Writes the result of a statement as CSV; the server does it itself. */
  async copy(sql: string, path: string): Promise<{ rows: number; ms: number }> {
    const from = performance.now();
    const { rowCount } = await this.#client.query(`COPY (${sql}) TO '${path}' (FORMAT csv, HEADER)`);
    return { rows: rowCount ?? 0, ms: performance.now() - from };
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

async function load(
  client: pg.Client,
  folder: string,
  source: DuckdbAlone,
  name: string,
  indexed: string[],
): Promise<void> {
  const columns = tables.get(name)?.columns ?? [];
  const path = join(folder, `${name}.csv`);
  const { rows } = await source.copy(
    `SELECT ${columns.map((one) => one.name).join(', ')} FROM ${name}`,
    path,
  );
  const typed = columns.map((one) => `${one.name} ${types[engineTypes[one.type]] ?? engineTypes[one.type]}`);
  await client.query(`CREATE TABLE ${name} (${typed.join(', ')})`);
  const { rowCount } = await client.query(`COPY ${name} FROM '${path}' (FORMAT csv, HEADER)`);
  if (rowCount !== rows) throw new Error(`PostgreSQL took ${rowCount} of ${rows} rows of ${name}`);
  await rm(path);
  for (const of of indexed) await client.query(`CREATE INDEX ON ${name} (${of})`);
  await client.query(`VACUUM ANALYZE ${name}`);
}
