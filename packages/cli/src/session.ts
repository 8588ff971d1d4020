import { answerFault, type Connection, PloidyClient, type Project } from '@ploidy/client';
import type { Command } from 'commander';
import { type Credentials, readCredentials } from './config.ts';
import { CommandError, exitCodes } from './exit.ts';
import { inJobs } from './jobs.ts';
import { freshToken } from './sign-in/fresh-token.ts';
import { alignedTable } from './table.ts';
import { documentText } from './visible.ts';

/** Context of a command: the client, and the output of its result. */
export interface Session {
  client: PloidyClient;
  credentials: Credentials;
  json: boolean;
}

/** Opens a session with the stored credentials, or those of the environment. */
export async function openSession(command: Command): Promise<Session> {
  const credentials = readCredentials();
  const { address, apiKey, tokens } = credentials;
  if (!address || !(apiKey ?? tokens)) {
    const where = address ? ` at ${address}` : '';
    throw new CommandError(`You are not signed in${where}. Run "ploidy login" first.`, exitCodes.signedOut);
  }
  const place = { address, apiKey: apiKey ?? (() => freshToken(address)), faultOf: answerFault };
  const account = credentials.account ?? (await accountOf(place));
  const client = new PloidyClient({ ...place, account });
  return { client, credentials: { ...credentials, address, account }, json: wantsJson(command) };
}

/** Returns the account that a key works in: the named one, or the first. */
export async function accountOf(
  place: Pick<Connection, 'address' | 'apiKey' | 'faultOf'>,
  named?: string | undefined,
): Promise<string> {
  const { data } = await new PloidyClient({ ...place, account: named ?? '' }).api.GET('/v1/accounts');
  const accounts = (data?.accounts ?? []).map(({ id }) => id);
  const account = named ?? accounts[0];
  if (account !== undefined && accounts.includes(account)) return account;
  const message =
    named === undefined
      ? 'You belong to no account.'
      : `This key or sign-in is not valid in the account ${named}.`;
  throw new CommandError(message, exitCodes.signedOut);
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

/** Reports whether a word is an id rather than a name. */
export const isId = (word: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);

/** Finds the first item with a name. */
export async function namedAs<T extends { name: string }>(
  items: AsyncIterable<T> | Iterable<T>,
  named: string,
): Promise<T | undefined> {
  for await (const item of items) if (isSameName(item.name, named)) return item;
  return undefined;
}

/** Compares names as the service does: normalised (a file system may take letters apart) and without regard to case. */
export function isSameName(one: string, other: string): boolean {
  const key = (name: string): string => name.normalize('NFC').toLowerCase();
  return key(one) === key(other);
}

/** Returns the project named by id or by name, else the one chosen with `ploidy projects use`. */
export async function projectOf(session: Session, named: string | undefined): Promise<Project> {
  const wanted = named ?? session.credentials.project;
  if (wanted === undefined) {
    throw new CommandError(
      'Name a project with --project, or choose one: ploidy projects use NAME.',
      exitCodes.usage,
    );
  }
  if (isId(wanted)) {
    const { data } = await session.client.api.GET('/v1/projects/{id}', { params: { path: { id: wanted } } });
    if (data) return data;
  }
  const project = await namedAs(session.client.projects(wanted), wanted);
  if (project) return project;
  throw new CommandError(`There is no project "${wanted}".`, exitCodes.notFound);
}

/** Prints a result as one JSON document, or as text. */
export function printResult(session: Pick<Session, 'json'>, value: unknown, text: () => string): void {
  process.stdout.write(session.json ? `${documentText(value, 2)}\n` : `${text()}\n`);
}

/**
 * Processes items, `jobs` at once. Text is printed after each item, JSON as one document at the end. A failure ends the
 * processing, and the results before it are printed.
 */
export async function printEach<T, R>(
  session: Pick<Session, 'json'>,
  items: readonly T[],
  work: (item: T) => Promise<R>,
  text: (result: R) => string,
  jobs = 1,
): Promise<R[]> {
  const done: { at: number; result: R }[] = [];
  const results = () => done.toSorted((a, b) => a.at - b.at).map(({ result }) => result);
  try {
    await inJobs([...items.entries()], jobs, async ([at, item]) => {
      const result = await work(item);
      done.push({ at, result });
      if (!session.json) process.stdout.write(`${text(result)}\n`);
    });
    return results();
  } finally {
    if (session.json && done.length > 0) printResult(session, results(), () => '');
  }
}

/** Prints a list as JSON or as an aligned table. */
export function printList<T>(
  session: Pick<Session, 'json'>,
  items: T[],
  headings: string[],
  row: (item: T) => string[],
): void {
  printResult(session, items, () => (items.length === 0 ? '(none)' : alignedTable(headings, items.map(row))));
}
