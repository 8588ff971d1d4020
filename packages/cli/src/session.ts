import { PloidyClient, type Project } from '@ploidy/client';
import type { Command } from 'commander';
import { type Credentials, readCredentials } from './config.ts';
import { CommandError, exitCodes } from './exit.ts';
import { alignedTable } from './table.ts';

/** What every command starts from: the client, and how to say the result. */
export interface Session {
  client: PloidyClient;
  credentials: Credentials;
  json: boolean;
}

/** Opens a session with the stored credentials. */
export function openSession(command: Command): Session {
  const credentials = readCredentials();
  const { address, apiKey, account } = credentials;
  if (!address || !apiKey || !account) {
    throw new CommandError('You are not signed in. Run "ploidy login" first.', exitCodes.signedOut);
  }
  const complete: Credentials = { ...credentials, address, apiKey, account };
  return { client: new PloidyClient(complete), credentials: complete, json: wantsJson(command) };
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The project named by id or by name, else the one chosen with `ploidy projects use`. */
export async function projectOf(session: Session, named: string | undefined): Promise<Project> {
  const wanted = named ?? session.credentials.project;
  if (wanted === undefined) {
    throw new CommandError(
      'Name a project with --project, or choose one: ploidy projects use NAME.',
      exitCodes.usage,
    );
  }
  if (uuid.test(wanted)) {
    const { data } = await session.client.api.GET('/v1/projects/{id}', { params: { path: { id: wanted } } });
    if (data) return data;
  }
  for await (const project of session.client.projects(wanted)) {
    if (project.name.toLowerCase() === wanted.toLowerCase()) return project;
  }
  throw new CommandError(`There is no project "${wanted}".`, exitCodes.notFound);
}

/** The file named by id or by its exact name in the project. */
export async function fileIdOf(session: Session, project: string, named: string): Promise<string> {
  if (uuid.test(named)) return named.toLowerCase();
  for await (const file of session.client.files(project, named)) if (file.name === named) return file.id;
  throw new CommandError(`There is no file "${named}" in the project.`, exitCodes.notFound);
}

/** Prints one JSON document, or what a person reads. */
export function say(session: Pick<Session, 'json'>, value: unknown, text: () => string): void {
  process.stdout.write(session.json ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`);
}

/** Prints a list as JSON or as an aligned table. */
export function sayList<T>(
  session: Pick<Session, 'json'>,
  items: T[],
  headings: string[],
  row: (item: T) => string[],
): void {
  say(session, items, () => (items.length === 0 ? '(none)' : alignedTable(headings, items.map(row))));
}

/** An abort signal for Ctrl-C; a second Ctrl-C ends the process at once. */
export function interruptSignal(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    done: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
