import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Fields } from '../configuration/fields.ts';
import { type Kind, kinds } from '../configuration/kinds.ts';
import { References } from '../configuration/references.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { readText } from '../input.ts';
import { isSameName, openSession, printResult, type Session } from '../session.ts';
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
    .description('create and change projects, groups, policies, clients and EHR systems from a file')
    .requiredOption('-f, --file <path>', 'YAML or JSON file; - for standard input')
    .option('--plan', 'print the changes without making them')
    .option('--secrets', 'send the secrets of unchanged EHR systems again')
    .action(async (options: ApplyOptions & { file: string }, command: Command) => {
      const session = await openSession(command);
      const wanted = await readConfiguration(options.file);
      // Whatever can be found wrong is found before the first change.
      const planned = await changesOf(session, wanted, { ...options, plan: true });
      const changes = options.plan ? planned : await changesOf(session, wanted, options);
      printResult(session, changes, () => textOf(changes, options.plan === true));
    });
}

interface ApplyOptions {
  plan?: boolean;
  secrets?: boolean;
}

/** Compares the items with those of the service, one after the other, and applies each unless this is a plan. */
async function changesOf(
  session: Session,
  wanted: readonly [Kind, Fields[]][],
  options: ApplyOptions,
): Promise<Change[]> {
  const references = new References(session, options.plan === true);
  const changes: Change[] = [];
  for (const [kind, items] of wanted)
    for (const item of items)
      changes.push(await applyOne(session, kind, await references.resolveItem(item), options));
  return changes;
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
  { plan, secrets }: ApplyOptions,
): Promise<Change> {
  const present = await presentOf(session, kind, desired.name);
  kind.check(desired, present === undefined);
  const fields = Object.keys(desired).filter((field) => {
    if (present === undefined) return true;
    if (kind.secrets.includes(field)) return secrets === true;
    const before = present[field];
    if (kind.additive.includes(field)) {
      const members = listIn(before);
      return listIn(desired[field]).some((one) => !members.includes(one));
    }
    return !isDeepStrictEqual(sorted(desired[field]), sorted(before));
  });
  const action = present === undefined ? 'create' : fields.length > 0 ? 'change' : 'none';
  if (!plan && present === undefined) await kind.create(session, desired);
  if (!plan && present !== undefined && action === 'change') await kind.change(session, present.id, desired);
  return { kind: kind.section, name: desired.name, action, fields: action === 'change' ? fields : [] };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Finds the item of a name. Where several have it (EHR systems may), the intended one is unknown. */
async function presentOf(session: Session, kind: Kind, name: string) {
  let present: (Fields & { id: string }) | undefined;
  for await (const item of kind.list(session)) {
    if (!isSameName(item.name, name)) continue;
    if (present)
      throw new CommandError(
        `Several ${kind.section} have the name "${name}": ${present.id} and ${item.id}. Rename all but one.`,
      );
    present = item;
  }
  return present;
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
