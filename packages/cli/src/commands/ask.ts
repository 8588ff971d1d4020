import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { readJson } from '../input.ts';
import { openSession, printResult, projectOf } from '../session.ts';
import { documentText } from '../visible.ts';

interface AskOptions {
  project?: string;
  cohort?: string;
  file?: string;
}

export function addAsk(program: Command): void {
  program
    .command('ask')
    .description('run an analytics query and print the answer as JSON')
    .argument('[query]', 'query as text, such as SELECT patients FROM patient WHERE …, or as JSON')
    .option('-f, --file <path>', 'read the query as JSON from a file; - for standard input')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--cohort <id>', 'only the patients of this cohort')
    .action(async (text: string | undefined, options: AskOptions, command: Command) => {
      if ((text === undefined) === (options.file === undefined))
        throw new CommandError('Give a query, or -f FILE.', exitCodes.usage);
      const session = await openSession(command);
      const { cohort: cohortId } = options;
      const isAboutProject = cohortId === undefined || options.project !== undefined;
      const body = {
        ...(isAboutProject && { datasetId: (await projectOf(session, options.project)).id }),
        ...(cohortId !== undefined && { cohortId }),
        ...(text !== undefined && askedIn(text)),
        ...(options.file !== undefined && { query: await readJson<Record<string, unknown>>(options.file) }),
      };
      const { data } = await session.client.operations.analyze({ body });
      printResult(session, data, () => documentText(data, 2));
    });
}

/** Reads a query of the command line: an object is JSON, everything else is text. */
function askedIn(text: string): { query: Record<string, unknown> } | { string_query: string } {
  if (!text.trimStart().startsWith('{')) return { string_query: text };
  try {
    return { query: JSON.parse(text) as Record<string, unknown> };
  } catch {
    throw new CommandError('The query begins as JSON, but is not valid JSON.', exitCodes.usage);
  }
}
