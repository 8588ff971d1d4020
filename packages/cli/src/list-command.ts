import type { Command } from 'commander';
import { openSession, printList, projectOf, type Session } from './session.ts';

type Items<T> = AsyncIterable<T> | Promise<AsyncIterable<T> | Iterable<T>>;

/** Completes a command that prints a list. */
export function listCommand<T, Words extends unknown[]>(
  command: Command,
  items: (session: Session, ...words: Words) => Items<T>,
  headings: string[],
  row: (item: T) => string[],
): void {
  command.action(async (...words: [...Words, Command]) => {
    const session = await openSession(words.at(-1) as Command);
    const found = await Array.fromAsync(await items(session, ...(words.slice(0, -1) as Words)));
    printList(session, found, headings, row);
  });
}

/** Completes a command that prints a list of a project. */
export function projectListCommand<T>(
  command: Command,
  items: (session: Session, project: string) => Items<T>,
  headings: string[],
  row: (item: T) => string[],
): void {
  listCommand(
    command.option('-p, --project <project>', 'id or name; the chosen project by default'),
    async (session, { project }: { project?: string }) =>
      items(session, (await projectOf(session, project)).id),
    headings,
    row,
  );
}
