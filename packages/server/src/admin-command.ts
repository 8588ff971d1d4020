import { parseArgs } from 'node:util';
import { AdminError, refuseFor } from './admin-error.ts';
import type { BackupCommand } from './backup-command.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { openLog } from './log.ts';
import { Problem } from './problem.ts';
import { reasonOf } from './reason.ts';
import { refuseRoot } from './refuse-root.ts';

const usage = `ploidy admin accounts add --name NAME --owner ADDRESS [--account ID]
ploidy admin accounts owner --account ID --owner ID-OR-EMAIL
ploidy admin users add --email ADDRESS --account ID [--group NAME] [--name NAME]
ploidy admin users sign-out --user ID-OR-EMAIL
ploidy admin keys add --user ID-OR-EMAIL --account ID [--name NAME] [--days 1..365]
ploidy admin second-factor remove --user ID-OR-EMAIL
ploidy admin verify-audit
ploidy admin rotate-key [--derived]
ploidy admin verify-lake [--project ID]
ploidy admin backup FOLDER [--with-key] [--list-bytes]
ploidy admin verify-backup FOLDER
ploidy admin restore FOLDER [--key FILE] [--take-store]
`;

const options = {
  email: { type: 'string' },
  name: { type: 'string' },
  account: { type: 'string' },
  owner: { type: 'string' },
  group: { type: 'string', default: 'Users' },
  user: { type: 'string' },
  project: { type: 'string' },
  days: { type: 'string', default: '365' },
  derived: { type: 'boolean', default: false },
  'with-key': { type: 'boolean', default: false },
  'list-bytes': { type: 'boolean', default: false },
  'take-store': { type: 'boolean', default: false },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Where a command says what it did, and what is wrong. */
export type Streams = Record<'stdout' | 'stderr', { write(text: string): unknown }>;

/**
 * Runs one command on the host. Exit code 0 done, 1 refused, 2 not understood. Each loads what it needs itself: what all of them
 * need together takes twice as long to read as most take.
 */
export async function runAdmin(
  config: Config,
  words: string[],
  { stdout, stderr }: Streams = process,
): Promise<number> {
  const parsed = understand(words);
  if (parsed?.values.help) {
    stdout.write(usage);
    return 0;
  }
  if (!parsed) {
    stderr.write(usage);
    return 2;
  }
  try {
    refuseRoot(config);
    if (parsed.positionals[0] === 'rotate-key') return await rotate(config, parsed.values, stdout);
    const backup = backupCommand(parsed);
    const result = backup ? await runBackup(config, backup, stderr) : await performOpened(parsed, config);
    const lines = Object.entries(result.say).map(([key, value]) => lineOf(key, value));
    stdout.write(`${parsed.values.json ? JSON.stringify(result.say) : lines.join('\n')}\n`);
    return result.ok ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Problem || error instanceof AdminError)) throw error;
    stderr.write(`${reasonOf(error)}\n`);
    return 1;
  }
}

/** A backup is taken of records as they are: opening them would bring their schema forward. */
function backupCommand({ positionals: [name, folder = ''], values }: Parsed): BackupCommand | undefined {
  if (name !== 'backup' && name !== 'restore' && name !== 'verify-backup') return undefined;
  const { 'with-key': withKey, 'list-bytes': listBytes, 'take-store': takeStore, key } = values;
  return { name, folder, withKey, listBytes, takeStore, key };
}

async function runBackup(config: Config, command: BackupCommand, stderr: Streams['stderr']): Promise<Result> {
  const { runBackupCommand } = await import('./backup-command.ts');
  return { ok: true, say: await runBackupCommand(config, command, stderr) };
}

async function performOpened(parsed: Parsed, config: Config): Promise<Result> {
  const { closeCore, openCore } = await import('./core.ts');
  const core = await openCore(config, openLog('error')).catch(refuseFor);
  try {
    if (parsed.positionals[0] === 'verify-lake') return await verifyFiles(core, parsed);
    const { perform } = await import('./admin-people.ts');
    return await perform(core, parsed, config);
  } finally {
    await closeCore(core);
  }
}

async function rotate(
  config: Config,
  { derived, json }: Parsed['values'],
  stdout: Streams['stdout'],
): Promise<number> {
  const { rotateMasterKey } = await import('./rotate-master-key.ts');
  const { renewed } = await rotateMasterKey(config, derived);
  stdout.write(`${json ? JSON.stringify({ renewed }) : `renewed: ${renewed}`}\n`);
  return 0;
}

/** The words of a command, told apart. */
export type Parsed = ReturnType<typeof parse>;

function parse(words: string[]) {
  return parseArgs({ args: words, options, allowPositionals: true });
}

/** The words of a command with their values; `undefined` when they are none. */
export function understand(words: string[]): Parsed | undefined {
  try {
    const parsed = parse(words);
    const { email, account, user, days, name, owner } = parsed.values;
    const command = parsed.positionals.join(' ');
    const [verb = '', folder, ...rest] = parsed.positionals;
    const complete =
      (command === 'accounts add' && name && owner) ||
      (command === 'accounts owner' && account && owner) ||
      (command === 'users sign-out' && user) ||
      (command === 'users add' && email && account) ||
      (command === 'keys add' && user && account && /^[1-9]\d{0,2}$/.test(days) && Number(days) <= 365) ||
      (command === 'second-factor remove' && user) ||
      command === 'verify-audit' ||
      command === 'verify-lake' ||
      command === 'rotate-key' ||
      (/^(backup|restore|verify-backup)$/.test(verb) && folder && rest.length === 0) ||
      parsed.values.help;
    return complete ? parsed : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What a command found or made, and whether all is well. */
export type Result = { ok: boolean; say: Record<string, string | number | object[]> };

/** A list is its length, and a line for each of its items. */
function lineOf(key: string, value: Result['say'][string]): string {
  if (!Array.isArray(value)) return `${key}: ${value}`;
  const items = value.map((item) => `  ${Object.values(item).join(' ')}`);
  return [`${key}: ${value.length}`, ...items].join('\n');
}

async function verifyFiles({ records, blobs }: Core, { values }: Parsed): Promise<Result> {
  const { verifyLake } = await import('./domains/lake/index.ts');
  const report = await verifyLake(records.read, blobs, values.project);
  return { ok: report.problems.length === 0, say: { ...report } };
}
