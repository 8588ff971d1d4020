import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { type Fields, type Kind, kinds } from '../configuration/kinds.ts';
import { References } from '../configuration/references.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { readText } from '../input.ts';
import { namedAs, openSession, type Session, say } from '../session.ts';
import { visible } from '../visible.ts';

interface Change {
  kind: string;
  name: string;
  action: 'create' | 'change' | 'none';
  /** Names of the fields that differ. */
  fields: string[];
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .description('make projects, groups, policies, clients and EHR systems as a file describes them')
    .requiredOption('-f, --file <path>', 'YAML or JSON; - is standard input')
    .option('--plan', 'print what would be changed; changes nothing')
    .option('--secrets', 'send the secrets of unchanged EHR systems again')
    .action(async (options: { file: string; plan?: boolean; secrets?: boolean }, command: Command) => {
      const session = await openSession(command);
      const wanted = await readConfiguration(options.file);
      // A missing secret is found before the first change.
      const unmade = new References(session, true);
      for (const [, items] of wanted) await unmade.resolve(items);
      const references = new References(session, options.plan === true);
      const changes: Change[] = [];
      for (const [kind, items] of wanted)
        for (const item of items) {
          const desired = (await references.resolve(item)) as Fields;
          changes.push(await applyOne(session, kind, desired, options));
        }
      say(session, changes, () => textOf(changes, options.plan === true));
    });
}

/** Reads the file and refuses what it does not know: a misspelt section would be left out silently. */
async function readConfiguration(path: string): Promise<[Kind, Fields[]][]> {
  const text = await readText(path);
  const { parse, YAMLParseError } = await import('yaml');
  try {
    const document = (parse(text) ?? {}) as Record<string, unknown>;
    const unknown = Object.keys(document).find((section) => !kinds.some((kind) => kind.section === section));
    if (unknown !== undefined) {
      const known = kinds.map(({ section }) => section).join(', ');
      throw new CommandError(`There is no section "${unknown}"; there are ${known}.`, exitCodes.usage);
    }
    return kinds.map((kind) => [kind, itemsIn(document[kind.section] ?? [], kind)]);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CommandError(`${path} is not YAML: ${error.message}`, exitCodes.usage);
  }
}

function itemsIn(section: unknown, { section: name }: Kind): Fields[] {
  const isItem = (item: unknown): item is Fields =>
    typeof item === 'object' && item !== null && typeof (item as Fields).name === 'string';
  if (Array.isArray(section) && section.every(isItem)) return section;
  throw new CommandError(`"${name}" should be a list of objects with a name.`, exitCodes.usage);
}

async function applyOne(
  session: Session,
  kind: Kind,
  desired: Fields,
  { plan, secrets }: { plan?: boolean; secrets?: boolean },
): Promise<Change> {
  const present = await namedAs(kind.list(session), desired.name);
  const fields = Object.keys(desired).filter((field) => {
    if (present === undefined) return true;
    if (kind.secrets.includes(field)) return secrets === true;
    const before = present[field];
    if (kind.additive?.includes(field))
      return !(desired[field] as unknown[]).every((one) => (before as unknown[]).includes(one));
    return !isDeepStrictEqual(sorted(desired[field]), sorted(before));
  });
  const action = present === undefined ? 'create' : fields.length > 0 ? 'change' : 'none';
  if (!plan && present === undefined) await kind.create(session, desired);
  if (!plan && present !== undefined && action === 'change') await kind.update(session, present, desired);
  return { kind: kind.section, name: desired.name, action, fields: action === 'change' ? fields : [] };
}

/** Orders the fields of objects, and lists of texts: the service may return them in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string') ? value.toSorted() : value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sorted(inner)]));
}

const words = { create: 'create', change: 'change', none: 'unchanged' } as const;

function textOf(changes: Change[], isPlan: boolean): string {
  const lines = changes.map(({ kind, name, action, fields }) =>
    visible(
      `${words[action].padEnd(9)}  ${kind}  ${name}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`,
    ),
  );
  const count = changes.filter(({ action }) => action !== 'none').length;
  return [...lines, `${count} ${isPlan ? 'to change' : 'changed'}.`].join('\n');
}
