import { sql } from 'kysely';
import { refuseFor } from './admin-error.ts';
import type { Config } from './config.ts';
import { closeCore, masterKeyFile, openCore } from './core.ts';
import { doAll } from './do-all.ts';
import { openLog } from './log.ts';
import { countProcesses, DataFolderTaken, lockDataFolder, type Records } from './platform/records/index.ts';
import {
  beginKeyChange,
  forgetOlderKeys,
  type SealedColumn,
  type Secrets,
} from './platform/secrets/index.ts';
import { conflict, Problem } from './problem.ts';
import { sealedValues } from './sealed-values.ts';

const rowsAtOnce = 500;

/**
 * Gives the service a new master key and seals with it anew whatever is sealed. The old key stays in the file until all is done,
 * so that it can be interrupted at any moment and begun again. No service may run meanwhile: it would go on sealing with the old
 * key. `derived`: the keys that are derived from the master key change too.
 */
export async function rotateMasterKey(config: Config, derived: boolean): Promise<{ renewed: number }> {
  const lock = config.databaseUrl === '' ? lockOrProblem(config) : undefined;
  // Opened first: a key that does not fit these records, or a file that is no key, ends it here.
  const before = await openCore(config, openLog('error')).catch(refuseFor);
  try {
    if ((await countProcesses(before.records)) > 1) throw running();
    const { path } = masterKeyFile(config);
    beginKeyChange(path, derived);
    const core = await openCore(config, openLog('error'));
    try {
      const renewed = await renewAll(core.records, core.secrets);
      // Both that are open here, and nobody who has come meanwhile and may have sealed with the old key.
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

/** Until a whole walk finds nothing that is sealed with another key. */
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
