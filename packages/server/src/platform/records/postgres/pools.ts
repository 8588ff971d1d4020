import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { ClientConfig } from 'pg';
import pg from 'pg';
import { exactMax, inexactWarning, nearest } from '../bound-numbers.ts';
import type { Flavour } from '../handles.ts';
import type { PlatformLog } from '../log.ts';

export const postgresFlavour: Flavour = {
  compiler: new PostgresQueryCompiler(),
  adapter: new PostgresAdapter(),
  introspector: (db) => new PostgresIntrospector(db),
};

/**
 * Maximum time of a statement. Statements of the service take milliseconds; a longer one is stuck. The client waits a little
 * longer than the server.
 */
const statementTimeoutMs = 30_000;
const answerTimeoutMs = 35_000;
const connectTimeoutMs = 10_000;

const int8 = 20;
const numeric = 1700;

/** Reads a number; one too large to be exact, which another program wrote, must not hide the rows beside it. */
function toNumber(text: string, onInexact: () => void): number {
  const value = Number(text);
  if (Math.abs(value) <= exactMax) return value;
  onInexact();
  return nearest(value);
}

/** Settings of all connections; 64-bit integers (times, sizes, counts, sums) are numbers. */
export function clientConfig(url: string, onInexact: () => void = () => undefined): ClientConfig {
  const parse = (text: string): number => toNumber(text, onInexact);
  return {
    connectionString: url,
    application_name: 'ploidy',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric ? parse : pg.types.getTypeParser(oid, format),
    } as NonNullable<ClientConfig['types']>,
  };
}

/** Connections that write, and connections that cannot. */
export interface Pools {
  write: pg.Pool;
  read: pg.Pool;
}

/** Opens one connection without limits of time, for work before the service runs. */
export function openSingle(url: string): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(url), max: 1 });
  // One that breaks while it is being closed has nothing left to lose; unheard it would end the process.
  return pool.on('error', () => undefined);
}

export function openPools(url: string, connectionsMax: number, log: PlatformLog): Pools {
  const inexact = inexactWarning(log);
  const config = {
    ...clientConfig(url, () => inexact.report({})),
    query_timeout: answerTimeoutMs,
    // Kept, so that the first request after a quiet while need not wait for a connection.
    min: 1,
  };
  const writersMax = Math.ceil(connectionsMax / 2);
  const write = new pg.Pool({ ...config, max: writersMax, onConnect: (client) => limit(client) });
  const read = new pg.Pool({
    ...config,
    max: Math.max(1, connectionsMax - writersMax),
    onConnect: (client) => limit(client, 'set default_transaction_read_only = on'),
  });
  for (const pool of [write, read]) {
    // An idle connection that breaks is replaced when the next one is needed.
    pool.on('error', (error) => log.warn({ err: error }, 'an idle connection to the records broke'));
  }
  return { write, read };
}

/** Sets the limits of a connection by statements: PgBouncer refuses them as parameters of its start. */
async function limit(client: pg.ClientBase, more = ''): Promise<void> {
  await client.query(`
    set statement_timeout = ${statementTimeoutMs};
    set idle_in_transaction_session_timeout = ${statementTimeoutMs};
    ${more}`);
}
