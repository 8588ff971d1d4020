import { resolve } from 'node:path';
import { masterKeyFile } from '../app/core.ts';
import { AdminError, refuseFor } from '../base/admin-error.ts';
import { storeSettings } from '../config/blobs.ts';
import type { Config } from '../config/config.ts';
import { openBlobs } from '../platform/blobs/index.ts';
import { openSecrets, type Secrets } from '../platform/secrets/index.ts';
import { backUp } from './backup/back-up.ts';
import type { Manifest } from './backup/manifest.ts';
import { type Progress, progressLines } from './backup/progress.ts';
import { restore } from './backup/restore.ts';
import { verifyBackup } from './backup/verify-backup.ts';

/** Parsed `ploidy admin backup …`, `restore …` or `verify-backup …`. */
export interface BackupCommand {
  name: 'backup' | 'restore' | 'verify-backup';
  folder: string;
  withKey: boolean;
  listBytes: boolean;
  key: string | undefined;
}

/** Runs a command and reports its progress to `stderr`. Throws `AdminError` with advice if it is refused. */
export async function runBackupCommand(
  config: Config,
  { name, folder, ...options }: BackupCommand,
  stderr: { write(text: string): unknown },
): Promise<Record<string, string | number>> {
  const progress = progressLines((line) => stderr.write(line));
  const place = resolve(folder);
  try {
    if (name === 'verify-backup') return verified(await verifyBackup(place, progress));
    if (name === 'restore') {
      const store = () => openBlobs(storeSettings(config));
      const keyFile = options.key === undefined ? undefined : resolve(options.key);
      const masterKey = masterKeyFile(config);
      const to = { ...config, masterKey, keyFile, openBlobs: store, progress };
      return summary(await restore(to, place), 'restored');
    }
    return await make(config, place, { ...options, progress });
  } catch (error) {
    // Errors of the system, such as a full disk, are for the operator.
    if (error instanceof Error && 'syscall' in error) throw new AdminError(error.message, { cause: error });
    throw error;
  }
}

async function make(
  config: Config,
  target: string,
  { withKey, listBytes, progress }: Pick<BackupCommand, 'withKey' | 'listBytes'> & { progress: Progress },
): Promise<Record<string, string | number>> {
  const { dataFolder, databaseUrl } = config;
  const { path: keyPath } = masterKeyFile(config);
  const secrets = secretsOf(keyPath);
  const blobs = await openBlobs(storeSettings(config));
  try {
    const deps = { dataFolder, databaseUrl, keyPath, blobs, secrets, progress };
    const bytes = listBytes ? 'listed' : 'copied';
    return summary(await backUp(deps, target, { bytes, withKey }), `written to ${target}`, keyPath);
  } finally {
    await blobs.close();
  }
}

function secretsOf(path: string): Secrets {
  try {
    return openSecrets({ path, create: false });
  } catch (error) {
    return refuseFor(error);
  }
}

function verified(manifest: Manifest): Record<string, string | number> {
  const unread =
    manifest.blobs.bytes === 'listed' ? '; the bytes stay in their store and were not checked' : '';
  return summary(manifest, `complete and undamaged${unread}`);
}

function summary(
  { id, madeAt, tables, blobs, masterKey }: Manifest,
  outcome: string,
  keyPath?: string,
): Record<string, string | number> {
  const apart = keyPath
    ? `NOT in the backup: without ${keyPath} it cannot be restored. Keep a copy of that file apart`
    : 'not in the backup';
  return {
    backup: outcome,
    id,
    moment: madeAt,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    blobs: blobs.count,
    bytes: blobs.bytes === 'copied' ? blobs.size : `${blobs.size}, listed only: they stay in their store`,
    masterKey: masterKey ? 'in the backup: its holder can read all secrets. Keep it locked away' : apart,
  };
}
