import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { findPostgres } from './postgres-binaries.ts';
import { startServer } from './postgres-server.ts';

/** A server to use instead of our own. */
const givenUrl = process.env['PLOIDY_TEST_DATABASE_URL'];
const binaries = givenUrl === undefined ? findPostgres() : undefined;

/** Why tests on PostgreSQL cannot run here; for the `skip` option. In CI they must. */
export const postgresSkip: string | false =
  givenUrl !== undefined || binaries !== undefined || process.env['CI'] === 'true'
    ? false
    : 'there is no PostgreSQL: npm install brings one for most platforms, or set PLOIDY_TEST_DATABASE_URL';

let server: Promise<string> | undefined;

/** A fresh, empty database; `stop` drops it. The server is one per test process and ends with it. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  server ??= givenUrl === undefined ? startOwn() : Promise.resolve(givenUrl);
  const base = await server;
  const name = `ploidy_${randomBytes(8).toString('hex')}`;
  await run(base, `create database ${name}`);
  return {
    url: withDatabase(base, name),
    stop: () => run(base, `drop database if exists ${name} with (force)`),
  };
}

async function startOwn(): Promise<string> {
  if (binaries === undefined) throw new Error('The tests need a PostgreSQL, and none was found.');
  return startServer(binaries);
}

async function run(base: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(base, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
}
