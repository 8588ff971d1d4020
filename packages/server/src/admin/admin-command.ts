import type { Core } from '../app/core.ts';
import { referenceNames } from '../app/reference/names.ts';
import { hostRemedy } from '../app/start/host-failure.ts';
import { refuseRoot } from '../app/start/refuse-root.ts';
import { AdminError, refuseFor } from '../base/admin-error.ts';
import { Problem } from '../base/problem.ts';
import { reasonOf } from '../base/reason.ts';
import type { Config } from '../config/config.ts';
import { openLog } from '../platform/log/log.ts';
import { momentOf, type Parsed, placedCommand, type Result, understand } from './admin-arguments.ts';
import { adminHelp } from './admin-help.ts';
import type { BackupCommand } from './backup-command.ts';

/** Output streams of a command: results and errors. */
type Streams = Record<'stdout' | 'stderr', { write(text: string): unknown }>;

/**
 * Runs one command on the host. Exit code 0 done, 1 refused, 2 invalid. Each command loads its own modules:
 * loading all would double the time of most.
 */
export async function runAdmin(
  config: Config,
  words: string[],
  { stdout, stderr }: Streams = process,
): Promise<number> {
  const parsed = understand(words);
  if (typeof parsed === 'string') {
    stderr.write(`${parsed}\n\n${adminHelp(words)}`);
    return 2;
  }
  if (parsed.values.help) {
    stdout.write(adminHelp(words));
    return 0;
  }
  if (parsed.positionals[0] === 'docs') return printReference(config, parsed, stdout);
  try {
    refuseRoot(config);
    const backup = backupCommand(parsed);
    if (backup === undefined || backup.name === 'backup') {
      const { refuseMissing } = await import('../app/maintenance/lost-records.ts');
      await refuseMissing(config);
    }
    if (parsed.positionals[0] === 'rotate-key') return await rotate(config, parsed.values, stdout);
    const result = backup ? await runBackup(config, backup, stderr) : await perform(parsed, config, stderr);
    const lines = Object.entries(result.say).map(([key, value]) => lineOf(key, value));
    stdout.write(`${parsed.values.json ? JSON.stringify(result.say) : lines.join('\n')}\n`);
    return result.ok ? 0 : 1;
  } catch (error) {
    const remedy = hostRemedy(error);
    const isExpected = error instanceof Problem || error instanceof AdminError;
    if (!isExpected && remedy === undefined) throw error;
    stderr.write(`${[reasonOf(error), remedy].filter(Boolean).join('\n')}\n`);
    return 1;
  }
}

/** Prepares a backup command, which reads records as they are: opening the core would migrate them. */
function backupCommand({ positionals, values }: Parsed): BackupCommand | undefined {
  const found = placedCommand(positionals);
  if (found === undefined) return undefined;
  const { 'with-key': withKey, 'list-bytes': listBytes, key, keep, at } = values;
  const [place = ''] = found.places;
  const name = (found.name === 'verify-backup' ? 'backup verify' : found.name) as BackupCommand['name'];
  return {
    name,
    place,
    withKey,
    listBytes,
    key,
    keep: keep === undefined ? undefined : Number(keep),
    at: at === undefined ? undefined : momentOf(at),
  };
}

async function runBackup(config: Config, command: BackupCommand, stderr: Streams['stderr']): Promise<Result> {
  const { runBackupCommand } = await import('./backup-command.ts');
  return { ok: true, say: await runBackupCommand(config, command, stderr) };
}

async function perform(parsed: Parsed, config: Config, stderr: Streams['stderr']): Promise<Result> {
  if (parsed.positionals[0] === 'doctor') {
    const { doctor } = await import('./doctor/doctor.ts');
    return doctor(config, { bytes: parsed.values.bytes, write: (text) => stderr.write(text) });
  }
  const { closeCore, openCore } = await import('../app/core.ts');
  const core = await openCore(config, openLog('error')).catch(refuseFor);
  try {
    if (parsed.positionals[0] === 'verify-lake') return await verifyFiles(core, parsed);
    const people = await import('./admin-people.ts');
    return await people.perform(core, parsed, config);
  } finally {
    await closeCore(core);
  }
}

/** Prints a reference page, which needs neither records nor a service. */
async function printReference(
  config: Config,
  { positionals: [, name = ''], values }: Parsed,
  stdout: Streams['stdout'],
): Promise<number> {
  const { referencePages } = await import('../app/reference/pages.ts');
  const { routeCatalogue } = await import('../app/route-catalogue.ts');
  const pages = referencePages(routeCatalogue(config));
  const page = referenceNames.find((one) => one === name);
  if (page === undefined) throw new Error(`no page ${name}`);
  stdout.write(values.json ? `${JSON.stringify({ [page]: pages[page]() })}\n` : pages[page]());
  return 0;
}

async function rotate(
  config: Config,
  { derived, json }: Parsed['values'],
  stdout: Streams['stdout'],
): Promise<number> {
  const { rotateMasterKey } = await import('./rotate-master-key.ts');
  const { renewed } = await rotateMasterKey(config, derived);
  const advice = 'Back up now: earlier backups need the earlier key, which the file no longer holds.';
  stdout.write(`${json ? JSON.stringify({ renewed }) : `renewed: ${renewed}\n${advice}`}\n`);
  return 0;
}

/** Formats a list as its length and one line for each item. */
function lineOf(key: string, value: Result['say'][string]): string {
  if (!Array.isArray(value)) return `${key}: ${value}`;
  const items = value.map((item) => `  ${Object.values(item).join(' ')}`);
  return [`${key}: ${value.length}`, ...items].join('\n');
}

async function verifyFiles({ records, blobs }: Core, { values }: Parsed): Promise<Result> {
  const { verifyLake } = await import('../domains/lake/index.ts');
  const report = await verifyLake(records.read, blobs, values.project);
  return { ok: report.problems.length === 0, say: { ...report } };
}
