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
  doctor: { may: ['bytes'] },
  'verify-audit': {},
  'rotate-key': { may: ['derived'] },
  'verify-lake': { may: ['project'] },
  backup: { may: ['with-key', 'list-bytes', 'keep'] },
  'backup ls': {},
  'backup verify': { may: ['at'] },
  'backup prune': { needs: ['keep'] },
  'verify-backup': { may: ['at'] },
  restore: { may: ['key', 'at'] },
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
  bytes: { type: 'boolean', default: false },
  key: { type: 'string' },
  keep: { type: 'string' },
  at: { type: 'string' },
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
  const withPlace = placedCommand(positionals);
  const name = withPlace?.name ?? positionals.join(' ');
  const command = commands[name];
  if (name === '') return 'Name a command.';
  if (!command) return `There is no command "ploidy admin ${name}".`;
  const { needs = [], may = [] } = command;
  if (withPlace && withPlace.places.length > 1) return `"ploidy admin ${name}" takes one place.`;
  const missing = needs.filter((option) => !values[option]);
  if (missing.length > 0) return `"ploidy admin ${name}" needs ${listOf(missing)}.`;
  const known = new Set<string>([...needs, ...may, 'json']);
  const strange = (Object.keys(values) as Option[]).filter((key) => values[key] && !known.has(key));
  if (strange.length > 0) return `"ploidy admin ${name}" takes no ${listOf(strange)}.`;
  const { days, keep, at } = values;
  if (days !== undefined && !isWithin(days, 365))
    return `--days is "${days}"; it should be a whole number from 1 to 365.`;
  if (keep !== undefined && !isWithin(keep, 10_000))
    return `--keep is "${keep}"; it should be a whole number from 1 to 10000.`;
  if (at !== undefined && momentOf(at) === undefined)
    return `--at is "${at}"; it should be like 2026-11-28 or 2026-11-28T02:30:00Z.`;
  return undefined;
}

const isWithin = (text: string, max: number): boolean => /^[1-9]\d{0,5}$/.test(text) && Number(text) <= max;

/** Reads a day (its end, UTC) or a time as epoch milliseconds; `undefined` for other texts. */
export function momentOf(text: string): number | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDay && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const time = Date.parse(isDay ? `${text}T23:59:59.999Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** Commands whose last word is a place of backups. */
const placed = ['backup ls', 'backup verify', 'backup prune', 'backup', 'verify-backup', 'restore'];

/** Splits the words of such a command from its place. */
export function placedCommand(
  positionals: readonly string[],
): { name: string; places: string[] } | undefined {
  const name = placed.find((words) => words.split(' ').every((word, at) => positionals[at] === word));
  return name === undefined ? undefined : { name, places: positionals.slice(name.split(' ').length) };
}

function listOf(names: Option[]): string {
  return names.map((option) => `--${option}`).join(' and ');
}

/** Result of a command, with its success. */
export type Result = { ok: boolean; say: Record<string, string | number | object[]> };
