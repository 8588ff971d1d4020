import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

/** S3 server that `fetch.ts` built. */
export const storeProgram = join(process.env['PLOIDY_TEST_TRINO'] ?? '', 'bin', 'versitygw');

/** Running S3 server over a folder. */
export interface Store {
  /** Settings of a service that keeps its files there. */
  settings: Record<string, string>;
  /** Properties of a catalog of Trino. */
  catalog: string[];
  kill(): Promise<void>;
  /** Starts it again, with the files it had. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const [user, secret, region, bucket] = ['ploidy', 'ploidy-test-secret', 'us-east-1', 'lake'];

/** Starts the S3 server with an empty bucket. */
export async function startStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-store-'));
  // A bucket is a folder.
  mkdirSync(join(folder, bucket));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(storeProgram, ['--port', `127.0.0.1:${port}`, '--region', region, 'posix', folder], {
      env: { PATH: process.env['PATH'], ROOT_ACCESS_KEY: user, ROOT_SECRET_KEY: secret },
      stdio: 'ignore',
    });
    await until(() => answers(endpoint), 'the store answers');
  };
  const kill = async (): Promise<void> => {
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    settings: {
      PLOIDY_BLOBS: `s3://${bucket}/ploidy?endpoint=${endpoint}&region=${region}`,
      PLOIDY_S3_ACCESS_KEY_ID: user,
      PLOIDY_S3_SECRET_ACCESS_KEY: secret,
    },
    catalog: [
      'fs.native-s3.enabled=true',
      `s3.endpoint=${endpoint}`,
      `s3.region=${region}`,
      's3.path-style-access=true',
      `s3.aws-access-key=${user}`,
      `s3.aws-secret-key=${secret}`,
    ],
    kill,
    start,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint);
    return true;
  } catch {
    return false;
  }
}
