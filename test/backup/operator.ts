import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runAdmin } from '../../packages/server/src/admin/admin-command.ts';
import { storeSettings } from '../../packages/server/src/config/blobs.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { verifyChains } from '../../packages/server/src/domains/audit/index.ts';
import { openBlobs } from '../../packages/server/src/platform/blobs/index.ts';
import { openRecords, type Records } from '../../packages/server/src/platform/records/index.ts';
import { startPostgres } from '../support/postgres.ts';
import { silent } from '../support/records.ts';
import { cleanEnvironment } from '../support/server.ts';

const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');

/** `PLOIDY_…` variables. */
export type Settings = Record<string, string>;

export interface Answer {
  code: number;
  out: string;
  err: string;
}

/** Runs `ploidy admin …` with these settings, in a process of its own: for what other processes do meanwhile or see of it. */
export function admin(settings: Settings, ...words: string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const env = { ...cleanEnvironment(), ...settings };
    execFile(process.execPath, [ploidy, 'admin', ...words], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
    );
  });
}

/** Runs a command in this process, ten times faster, to check its output and its files. */
export async function adminHere(settings: Settings, ...words: string[]): Promise<Answer> {
  const answer = { code: 0, out: '', err: '' };
  answer.code = await runAdmin(readConfig(settings), words, {
    stdout: { write: (text) => (answer.out += text) },
    stderr: { write: (text) => (answer.err += text) },
  });
  return answer;
}

/** Runs it until `enough` holds, and kills it then as a power cut would. */
export async function killWhen(enough: () => boolean, settings: Settings, ...words: string[]): Promise<void> {
  const env = { ...cleanEnvironment(), ...settings };
  const child: ChildProcess = spawn(process.execPath, [ploidy, 'admin', ...words], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!enough()) {
    assert.equal(child.exitCode, null, 'it has not ended before');
    await turn();
  }
  child.kill('SIGKILL');
  await ended;
}

/** Returns a name in a folder of the test's own that does not exist yet. */
export function newFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-backup-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'new');
}

/** Returns an empty place to restore to. */
export async function emptyPlace(context: TestContext, records: Records['dialect']): Promise<Settings> {
  const settings: Settings = { PLOIDY_DATA_DIR: newFolder(context) };
  if (records === 'sqlite') return settings;
  const database = await startPostgres();
  context.after(() => database.stop());
  return { ...settings, PLOIDY_DATABASE_URL: database.url };
}

/** Looks into the records of a place. */
export async function look<T>(settings: Settings, work: (records: Records) => Promise<T>): Promise<T> {
  const { dataFolder, databaseUrl } = readConfig(settings);
  const records = await openRecords({ folder: dataFolder, databaseUrl, log: silent, connectionsMax: 4 });
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}

/**
 * Asserts that every row that names a blob has its bytes, with their hash. Every audit chain must be whole. Returns the number
 * of rows.
 */
export async function assertWhole(settings: Settings): Promise<number> {
  const blobs = await openBlobs(storeSettings(readConfig(settings)));
  try {
    return await look(settings, async ({ read }) => {
      for (const chain of await verifyChains(read)) assert.equal(chain.brokenAt, undefined);
      const columns = ['blob_key', 'size', 'sha256'] as const;
      const files = await read.selectFrom('files').select(columns).execute();
      const segments = await read.selectFrom('segments').select(columns).execute();
      for (const { blob_key, size, sha256 } of [...files, ...segments]) {
        const bytes = await buffer(await blobs.open(blob_key));
        const found = [bytes.length, createHash('sha256').update(bytes).digest('hex')];
        assert.deepEqual(found, [size, sha256]);
      }
      return files.length + segments.length;
    });
  } finally {
    await blobs.close();
  }
}
