import { statfs } from 'node:fs/promises';
import { type Core, closeCore, lastBackupIn, openCore } from '../../app/core.ts';
import { refuseFor } from '../../base/admin-error.ts';
import { Problem } from '../../base/problem.ts';
import { build } from '../../base/version.ts';
import type { Config } from '../../config/config.ts';
import { openLog } from '../../platform/log/log.ts';
import { verifyRecords } from '../../platform/records/index.ts';
import type { Result } from '../admin-arguments.ts';
import { progressLines } from '../backup/progress.ts';
import { checkFolder, checkNamedFiles, type Finding } from './files.ts';

/** Age of the last backup that counts as a fault, days. */
const backupMaxDays = 2;
/** Share of the disk that should stay free. */
const freeMin = 0.1;
const dayMs = 86_400_000;
/** Maximum of findings of a check that are listed. */
const listedMax = 100;

type Check = readonly [name: string, look: () => Promise<string>];

interface DoctorOptions {
  /** Compares the bytes of every file, not of a sample. */
  bytes: boolean;
  /** Writes lines of progress. */
  write(text: string): void;
}

/**
 * Looks at the parts that an operator cares for, beside a running service too. Not ok if one has a fault. Damaged records are not
 * opened: the rest would be measured by them.
 */
export async function doctor(config: Config, options: DoctorOptions): Promise<Result> {
  const { dataFolder: folder, databaseUrl } = config;
  const visit = new Visit();
  await visit.make([
    ['version', async () => [build.version, build.commit].filter(Boolean).join(' ')],
    ['disk', () => diskOf(folder)],
    ['records', () => recordsAt({ folder, databaseUrl }, visit)],
  ]);
  if (!visit.isSound('records')) {
    await visit.make([['folder', async () => folderOf(visit, await checkFolder(folder))]]);
    return visit.result();
  }
  const core = await openCore(config, openLog('error')).catch(refuseFor);
  const { records, blobs } = core;
  const onDisk = blobs.direct === undefined;
  try {
    await visit.make([
      ['store', async () => answered(blobs.check(), onDisk ? 'disk' : 's3')],
      ['folder', async () => folderOf(visit, await checkFolder(folder, onDisk ? records : undefined))],
      ['files', () => filesOf(core, config, options, visit)],
      ['lastBackup', async () => ageOf(await lastBackupIn(records.read))],
      ['failedJobs', () => failedJobs(records)],
    ]);
  } finally {
    await closeCore(core);
  }
  return visit.result();
}

/** Results of the checks so far. */
class Visit {
  readonly #say: Result['say'] = {};
  readonly #faulty = new Set<string>();
  readonly findings: object[] = [];

  async make(checks: readonly Check[]): Promise<void> {
    for (const [name, look] of checks)
      this.#say[name] = await look().catch((error: unknown) => {
        this.#faulty.add(name);
        return `FAULT: ${error instanceof Fault || error instanceof Problem ? error.message : String(error)}`;
      });
  }

  isSound(name: string): boolean {
    return !this.#faulty.has(name);
  }

  /** Lists findings of a check, if any; throws their number and the remedies as its fault. */
  list(found: readonly object[], remedies: readonly string[]): void {
    if (found.length === 0) return;
    this.findings.push(...found.slice(0, listedMax));
    throw new Fault(`${found.length} findings below. ${remedies.join(' ')}`);
  }

  result(): Result {
    return { ok: this.#faulty.size === 0, say: { ...this.#say, findings: this.findings } };
  }
}

/** A finding that the operator should act on. */
class Fault extends Error {}

async function recordsAt(place: { folder: string; databaseUrl: string }, visit: Visit): Promise<string> {
  const { verified, faults } = await verifyRecords(place);
  visit.list(
    faults.map((about) => ({ code: 'RECORDS', about })),
    ['Stop the service, keep its folder aside, and restore the last backup.'],
  );
  return `${verified}: whole`;
}

const remedies: Record<Finding['code'], string> = {
  MISSING: fromBackup('MISSING'),
  SIZE: fromBackup('SIZE'),
  DIGEST: fromBackup('DIGEST'),
  UNREADABLE: 'UNREADABLE: the disk or its permissions refuse to read.',
  ORPHAN:
    'ORPHAN: no row names the file. Are the records an older copy? Restore newer ones; otherwise remove the file.',
  OWNER: 'OWNER: give the data folder to the user of the service (chown --recursive).',
  MODE: 'MODE: close it to others (chmod --recursive u=rwX,go=).',
};

function fromBackup(code: string): string {
  return `${code}: copy the file from blobs/ of a backup to the same place, as the user of the service.`;
}

function listFiles(visit: Visit, findings: readonly Finding[]): void {
  visit.list(findings, [...new Set(findings.map(({ code }) => remedies[code]))]);
}

function folderOf(visit: Visit, findings: Finding[]): string {
  listFiles(visit, findings);
  return 'owners, permissions and names as they should be';
}

async function filesOf(
  core: Core,
  { dataFolder: folder, databaseUrl }: Config,
  { bytes: all, write }: DoctorOptions,
  visit: Visit,
): Promise<string> {
  const progress = progressLines(write);
  const { files, bytes, read, findings } = await checkNamedFiles(
    core,
    { folder, databaseUrl },
    { all, progress },
  );
  listFiles(visit, findings);
  const rest = read === files ? '' : ', the others with --bytes';
  return `${files} are there with ${bytes} bytes; the bytes of ${read} were compared${rest}`;
}

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
