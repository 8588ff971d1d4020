import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { findPostgres } from './postgres-binaries.ts';
import { startServer } from './postgres-server.ts';

/** A server to use instead of our own. */
const givenUrl = process.env['PLOIDY_TEST_DATABASE_URL'];
const binaries = givenUrl === undefined ? findPostgres() : undefined;

/** Reason why tests on PostgreSQL cannot run here; for the `skip` option. In CI they must. */
export const postgresSkip: string | false =
  givenUrl !== undefined || binaries !== undefined || process.env['CI'] === 'true'
    ? false
    : 'there is no PostgreSQL: npm install brings one for most platforms, or set PLOIDY_TEST_DATABASE_URL';

let server: Promise<string> | undefined;

/** Name of a database with the schema of this version, which `test/run.ts` makes once for all files. */
const template = process.env['PLOIDY_TEST_TEMPLATE'];

export interface FreshDatabase {
  url: string;
  stop(): Promise<void>;
}

/** Returns a fresh, empty database; `stop` drops it. The server is one per test process and ends with it. */
export function startPostgres(): Promise<FreshDatabase> {
  return make('template1');
}

/** Fresh database, perhaps with its schema: copying it takes a tenth of making it. */
export function startPrepared(): Promise<FreshDatabase> {
  return make(template ?? 'template1');
}

async function make(from: string): Promise<FreshDatabase> {
  server ??= givenUrl === undefined ? startOwn() : Promise.resolve(givenUrl);
  const base = await server;
  const name = `ploidy_${randomBytes(8).toString('hex')}`;
  await run(base, `create database ${name} template ${from} strategy file_copy`);
  return {
    url: withDatabase(base, name),
    stop: () => run(base, `drop database if exists ${name} with (force)`),
  };
}

async function startOwn(): Promise<string> {
  if (binaries === undefined) throw new Error('The tests need a PostgreSQL, and none was found.');
  return startServer(binaries);
}

/** Runs a statement beside all databases of the tests. */
export async function run(base: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(base, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns the address of a database of a server. */
export function withDatabase(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}
