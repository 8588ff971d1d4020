import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, openTestApp, type TestApp } from '../support/app.ts';
import { People } from '../support/people.ts';
import { postgresSkip, startPrepared } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Store, startStore, storeProgram } from './store.ts';

/** Service over which Trino is tried, as one process or several. */
export interface Deployment extends Pick<TestApp, 'address' | 'key' | 'account' | 'people' | 'call'> {
  /** Properties of Trino's catalog by which it reads the files. */
  fileSystem: string[];
  /** Store of the files; absent if they are local. */
  store?: Store;
  /** Kills the process that runs queries, and starts another. */
  replaceQueryProcess?(): Promise<void>;
  stop(): Promise<void>;
}

/** Form of a trial. */
export interface Form {
  nodes: number;
  skip: string | false;
  open(settings: Record<string, string>): Promise<Deployment>;
}

const wantsProcesses = process.env['PLOIDY_TEST_TRINO_PROCESSES'] === 'true';
const reason = existsSync(storeProgram)
  ? postgresSkip
  : 'PLOIDY_TEST_TRINO names no folder with versitygw (test/trino/fetch.ts)';

/** Forms by name. */
export const forms: Readonly<Record<string, Form>> = {
  'one process with local files, one node': {
    nodes: 1,
    skip: wantsProcesses && 'PLOIDY_TEST_TRINO_PROCESSES is true',
    open: openLocal,
  },
  'three processes with roles on PostgreSQL and S3, two nodes': {
    nodes: 2,
    skip: wantsProcesses ? reason : 'PLOIDY_TEST_TRINO_PROCESSES is not true',
    open: openProcesses,
  },
};

async function openLocal(settings: Record<string, string>): Promise<Deployment> {
  const app = await openTestApp(settings);
  return { ...app, fileSystem: ['fs.hadoop.enabled=true'], stop: () => app.stop() };
}

async function openProcesses(settings: Record<string, string>): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-processes-'));
  const [store, database] = await Promise.all([startStore(), startPrepared()]);
  const shared = { ...settings, ...store.settings, PLOIDY_DATABASE_URL: database.url };
  const start = (roles: string): Promise<TestServer> =>
    startServer({ folder, settings: { ...shared, PLOIDY_ROLES: roles } });
  const api = await start('api');
  const workers = await start('ingest,maintenance');
  let queries = await start('query');
  const first = { key: api.apiKey, account: api.account };
  const request: TestApp['call'] = (method, path, options) =>
    call(api.baseUrl, method, path, { ...first, ...options });
  const people = await People.open({ ...shared, PLOIDY_DATA_DIR: folder }, async (key) => {
    const { status } = await request('GET', '/v1/accounts', { key, account: undefined });
    return status === 200;
  });
  return {
    ...{ address: api.baseUrl, ...first, people, call: request, store, fileSystem: store.catalog },
    replaceQueryProcess: async () => {
      await queries.kill();
      queries = await start('query');
    },
    stop: async () => {
      await people.close();
      for (const one of [queries, workers, api]) await one.process.kill('SIGKILL');
      await database.stop();
      await store.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
