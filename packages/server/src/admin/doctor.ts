import { statfs } from 'node:fs/promises';
import { type Core, lastBackupIn } from '../app/core.ts';
import { Problem } from '../base/problem.ts';
import { build } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import type { Result } from './admin-arguments.ts';

/** Age of the last backup that counts as a fault, days. */
const backupMaxDays = 2;
/** Share of the disk that should stay free. */
const freeMin = 0.1;
const dayMs = 86_400_000;

/** Looks at the parts that an operator cares for, beside a running service too. Not ok if one has a fault. */
export async function doctor({ records, blobs }: Core, { dataFolder }: Config): Promise<Result> {
  const checks: [name: string, look: () => Promise<string>][] = [
    ['version', async () => [build.version, build.commit].filter(Boolean).join(' ')],
    ['records', async () => answered(records.check(), records.dialect)],
    ['store', async () => answered(blobs.check(), blobs.direct ? 's3' : 'disk')],
    ['disk', () => diskOf(dataFolder)],
    ['lastBackup', async () => ageOf(await lastBackupIn(records.read))],
    ['failedJobs', () => failedJobs(records)],
  ];
  const say: Record<string, string> = {};
  let ok = true;
  for (const [name, look] of checks) {
    say[name] = await look().catch((error: unknown) => {
      ok = false;
      return `FAULT: ${error instanceof Fault || error instanceof Problem ? error.message : String(error)}`;
    });
  }
  return { ok, say };
}

/** A finding that the operator should act on. */
class Fault extends Error {}

async function answered(check: Promise<void>, name: string): Promise<string> {
  await check;
  return `${name}, answers`;
}

async function diskOf(folder: string): Promise<string> {
  const { bavail, blocks } = await statfs(folder);
  const free = bavail / blocks;
  const text = `${Math.round(free * 100)} % free`;
  if (free < freeMin) throw new Fault(`${text}: enlarge it, or delete files and results`);
  return text;
}

function ageOf(madeAt: number | undefined): string {
  if (madeAt === undefined) throw new Fault('none was completed: ploidy admin backup PLACE');
  const at = new Date(madeAt).toISOString();
  if (Date.now() - madeAt > backupMaxDays * dayMs)
    throw new Fault(`${at}, older than ${backupMaxDays} days: look at the timer of backups`);
  return at;
}

async function failedJobs({ read }: Core['records']): Promise<string> {
  const { count } = await read
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'failed')
    .where('ended_at', '>', Date.now() - dayMs)
    .executeTakeFirstOrThrow();
  return `${count} within a day`;
}
