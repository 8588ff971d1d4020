import { sql } from 'kysely';
import { closeCore, masterKeyFile, openCore } from '../app/core.ts';
import { sealedValues } from '../app/maintenance/sealed-values.ts';
import { refuseFor } from '../base/admin-error.ts';
import { conflict, Problem } from '../base/problem.ts';
import type { Config } from '../config/config.ts';
import { doAll } from '../platform/concurrency/do-all.ts';
import { openLog } from '../platform/log/log.ts';
import { countProcesses, DataFolderTaken, lockDataFolder, type Records } from '../platform/records/index.ts';
import {
  beginKeyChange,
  forgetOlderKeys,
  type SealedColumn,
  type Secrets,
} from '../platform/secrets/index.ts';

const rowsAtOnce = 500;

/**
 * Replaces the master key and seals all values anew. The old key remains in the file until the end, so that
 * the change can be interrupted and resumed. No service may run, as it would seal with the old key.
 * `derived`: changes derived keys too.
 */
export async function rotateMasterKey(config: Config, derived: boolean): Promise<{ renewed: number }> {
  const lock = config.databaseUrl === '' ? lockOrProblem(config) : undefined;
  // Opened first: fails if the key does not fit the records, or the file holds no key.
  const before = await openCore(config, openLog('error')).catch(refuseFor);
  try {
    if ((await countProcesses(before.records)) > 1) throw running();
    const { path } = masterKeyFile(config);
    beginKeyChange(path, derived);
    const core = await openCore(config, openLog('error'));
    try {
      const renewed = await renewAll(core.records, core.secrets);
      // The two opened here, and no other process that may have sealed with the old key.
      if ((await countProcesses(core.records)) > 2) throw running();
      forgetOlderKeys(path);
      return { renewed };
    } finally {
      await closeCore(core);
    }
  } finally {
    await doAll([() => closeCore(before), () => lock?.release()]);
  }
}

function lockOrProblem({ dataFolder }: Config) {
  try {
    return lockDataFolder(dataFolder);
  } catch (error) {
    if (error instanceof DataFolderTaken) throw running();
    return refuseFor(error);
  }
}

function running() {
  return conflict('SERVICE_RUNNING', 'The service is running: stop it, on every machine, and try again.');
}

/** Renews until a complete pass finds no value under another key. */
async function renewAll(records: Records, secrets: Secrets): Promise<number> {
  let renewed = 0;
  for (let more = true; more; ) {
    more = false;
    for (const column of sealedValues) {
      const count = await renewColumn(records, secrets, column);
      renewed += count;
      more ||= count > 0;
    }
  }
  return renewed;
}

function renewOrProblem(sealed: SealedColumn, secrets: Secrets, row: { key: string; value: string }): string {
  try {
    return sealed.renew(secrets, row.value, row.key);
  } catch (cause) {
    const place = `${sealed.table}.${sealed.column} of ${row.key}`;
    const message = `${place} cannot be opened with any key of the file, so the old key stays in it. Restore the key that it was sealed with, or remove the row.`;
    throw new Problem(422, 'SEALED_VALUE_UNREADABLE', message, { cause });
  }
}

async function renewColumn(records: Records, secrets: Secrets, sealed: SealedColumn): Promise<number> {
  const [table, column, key] = [sql.table(sealed.table), sql.ref(sealed.column), sql.ref(sealed.key)];
  let renewed = 0;
  let last = '';
  for (;;) {
    const { rows } = await sql<{ key: string; value: string }>`
      select ${key} as key, ${column} as value from ${table}
      where ${key} > ${last} and ${column} is not null order by ${key} limit ${sql.lit(rowsAtOnce)}
    `.execute(records.read);
    const end = rows.at(-1);
    if (!end) return renewed;
    last = end.key;
    const changed = rows.flatMap((row) => {
      const value = renewOrProblem(sealed, secrets, row);
      return value === row.value ? [] : [{ ...row, renewed: value }];
    });
    await records.transact(async (tx) => {
      for (const row of changed)
        await sql`update ${table} set ${column} = ${row.renewed} where ${key} = ${row.key} and ${column} = ${row.value}`.execute(
          tx,
        );
    });
    renewed += changed.length;
  }
}
