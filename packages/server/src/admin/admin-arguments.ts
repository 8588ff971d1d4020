import { parseArgs } from 'node:util';
import { referenceNames } from '../app/reference/names.ts';

type Option = keyof typeof options;

/** Options of each command: those it needs, and those it may have. Every command takes `--json` and `--help`. */
const commands: Record<string, { needs?: Option[]; may?: Option[] }> = {
  'accounts add': { needs: ['name', 'owner'], may: ['account'] },
  'accounts owner': { needs: ['account', 'owner'] },
  'users add': { needs: ['email', 'account'], may: ['group', 'name'] },
  'users sign-out': { needs: ['user'] },
  'keys add': { needs: ['user', 'account'], may: ['name', 'days'] },
  'second-factor remove': { needs: ['user'] },
  'clients first-party': { needs: ['client'], may: ['off'] },
  'verify-audit': {},
  'rotate-key': { may: ['derived'] },
  'verify-lake': { may: ['project'] },
  backup: { may: ['with-key', 'list-bytes'] },
  'verify-backup': {},
  restore: { may: ['key'] },
  ...Object.fromEntries(referenceNames.map((name) => [`docs ${name}`, {}])),
};

const options = {
  email: { type: 'string' },
  name: { type: 'string' },
  account: { type: 'string' },
  owner: { type: 'string' },
  group: { type: 'string' },
  user: { type: 'string' },
  client: { type: 'string' },
  off: { type: 'boolean', default: false },
  project: { type: 'string' },
  days: { type: 'string' },
  derived: { type: 'boolean', default: false },
  'with-key': { type: 'boolean', default: false },
  'list-bytes': { type: 'boolean', default: false },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Parsed arguments of a command. */
export type Parsed = ReturnType<typeof parse>;

function parse(words: string[]) {
  return parseArgs({ args: words, options, allowPositionals: true });
}

/** Parses arguments; returns the fault in a sentence if they are invalid. */
export function understand(words: string[]): Parsed | string {
  try {
    const parsed = parse(words);
    return (parsed.values.help ? undefined : faultIn(parsed)) ?? parsed;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [sentence] = error.message.split('. ');
    return `${sentence}.`;
  }
}

function faultIn({ positionals, values }: Parsed): string | undefined {
  const [verb = ''] = positionals;
  const takesFolder = /^(backup|restore|verify-backup)$/.test(verb);
  const name = takesFolder ? verb : positionals.join(' ');
  const command = commands[name];
  if (name === '') return 'Name a command.';
  if (!command) return `There is no command "ploidy admin ${name}".`;
  const { needs = [], may = [] } = command;
  if (takesFolder && positionals.length !== 2) return `"ploidy admin ${name}" takes one folder.`;
  const missing = needs.filter((option) => !values[option]);
  if (missing.length > 0) return `"ploidy admin ${name}" needs ${listOf(missing)}.`;
  const known = new Set<string>([...needs, ...may, 'json']);
  const strange = (Object.keys(values) as Option[]).filter((key) => values[key] && !known.has(key));
  if (strange.length > 0) return `"ploidy admin ${name}" takes no ${listOf(strange)}.`;
  const { days = '1' } = values;
  const isLife = /^[1-9]\d{0,2}$/.test(days) && Number(days) <= 365;
  return isLife ? undefined : `--days is "${days}"; it should be a whole number from 1 to 365.`;
}

function listOf(names: Option[]): string {
  return names.map((option) => `--${option}`).join(' and ');
}

/** Result of a command, with its success. */
export type Result = { ok: boolean; say: Record<string, string | number | object[]> };
