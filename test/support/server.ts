import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchService } from '../../samples/demo/service.ts';
import { prepareSqlite } from './prepared-records.ts';

/** Contents of `first-run.json`, written by the first start. */
export interface FirstRun {
  baseUrl: string;
  account: string;
  user: string;
  apiKey: string;
  signInUrl: string;
  consoleUrl: string;
}

/** A real server in a process of its own, on a free port of 127.0.0.1. */
export interface TestServer {
  /** `http://127.0.0.1:port` of this start (that in `firstRun` is of the first). */
  baseUrl: string;
  /** Data folder; the log is `server.log` in it. */
  folder: string;
  firstRun: FirstRun;
  apiKey: string;
  account: string;
  process: ChildProcess;
  /** Stops it cleanly and removes its folder. */
  stop(): Promise<void>;
  /** SIGKILL; the folder stays, so that it can be started again. */
  kill(): Promise<void>;
}

/**
 * Starts `ploidy serve` and waits until it is ready: on a fresh temporary folder, or on one that an earlier server left behind.
 * `settings` are `PLOIDY_…` variables; those of the surrounding environment are not passed on.
 */
export async function startServer(
  options: { settings?: Record<string, string>; folder?: string; program?: string } = {},
): Promise<TestServer> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'ploidy-server-'));
  if (options.folder === undefined)
    prepareSqlite({ dataFolder: folder, databaseUrl: options.settings?.['PLOIDY_DATABASE_URL'] ?? '' });
  const environment = {
    ...cleanEnvironment(),
    PLOIDY_HOST: '127.0.0.1',
    PLOIDY_PORT: '0',
    ...options.settings,
    PLOIDY_DATA_DIR: folder,
  };
  const service = await launchService({
    environment,
    logFile: join(folder, 'server.log'),
    program: options.program,
  }).catch((error: unknown) => {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const firstRun = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8')) as FirstRun;
  return {
    baseUrl: service.baseUrl,
    folder,
    firstRun,
    apiKey: firstRun.apiKey,
    account: firstRun.account,
    process: service.process,
    stop: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    kill: service.kill,
  };
}

/** Environment of this process without any setting of Ploidy. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLOIDY_')));
}
