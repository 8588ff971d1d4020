import { matchesGlob } from 'node:path';
import { CommandError, exitCodes } from './exit.ts';
import { isId, projectOf, type Session } from './session.ts';

/** File of a project that a command names. */
export interface NamedFile {
  id: string;
  name: string;
}

/** Returns the file named by id or by its exact name in the project. */
export async function fileIdOf(session: Session, project: string, named: string): Promise<string> {
  if (isId(named)) return named.toLowerCase();
  for await (const file of session.client.files(project, named)) if (file.name === named) return file.id;
  throw new CommandError(`There is no file "${named}" in the project.`, exitCodes.notFound);
}

/** Reports whether a word stands for all files whose names match, such as `run7/*.vcf`. */
export const isPattern = (word: string): boolean => /[*?]/.test(word);

/**
 * Finds the files that words name: ids, exact names, or patterns, of which each has to match. All are found before the first is
 * worked on, and each is returned once.
 */
export async function filesOf(
  session: Session,
  words: readonly string[],
  project: string | undefined,
): Promise<NamedFile[]> {
  const found = new Map<string, NamedFile>();
  // An id needs no project.
  const needsProject = words.some((word) => !isId(word));
  const projectId = needsProject ? (await projectOf(session, project)).id : '';
  for (const word of words) {
    const named = isId(word)
      ? [{ id: word.toLowerCase(), name: word }]
      : filesNamed(session, projectId, word);
    for await (const { id, name } of named) found.set(id, { id, name });
  }
  return [...found.values()];
}

/** Yields the file of an exact name, else those that match the word as a pattern. */
async function* filesNamed(session: Session, project: string, word: string): AsyncGenerator<NamedFile> {
  const [start = ''] = isPattern(word) ? (/^[^*?[]*/.exec(word) ?? []) : [word];
  const matching: NamedFile[] = [];
  for await (const file of session.client.files(project, start)) {
    if (file.name === word) return yield file;
    if (isPattern(word) && matchesGlob(file.name, word)) matching.push(file);
  }
  if (matching.length > 0) return yield* matching;
  const what = isPattern(word)
    ? `No file of the project matches ${word}.`
    : `There is no file "${word}" in the project.`;
  throw new CommandError(what, exitCodes.notFound);
}
