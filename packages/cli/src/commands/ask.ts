import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { readJson } from '../input.ts';
import { openSession, projectOf, say } from '../session.ts';
import { documentText } from '../visible.ts';

interface AskOptions {
  project?: string;
  cohort?: string;
  file?: string;
}

export function addAsk(program: Command): void {
  program
    .command('ask')
    .description('send one analytics query; prints its answer as JSON')
    .argument('[query]', 'a query as text: SELECT patients FROM patient WHERE …')
    .option('-f, --file <path>', 'a query as JSON in a file; - is standard input')
    .option('-p, --project <project>', 'id or name')
    .option('--cohort <id>', 'of the patients of this cohort')
    .action(async (text: string | undefined, options: AskOptions, command: Command) => {
      if ((text === undefined) === (options.file === undefined))
        throw new CommandError('Give a query, or -f FILE.', exitCodes.usage);
      const session = await openSession(command);
      const { cohort: cohortId } = options;
      const isAboutProject = cohortId === undefined || options.project !== undefined;
      const body = {
        ...(isAboutProject && { datasetId: (await projectOf(session, options.project)).id }),
        ...(cohortId !== undefined && { cohortId }),
        ...(text !== undefined && { string_query: text }),
        ...(options.file !== undefined && { query: await readJson<Record<string, unknown>>(options.file) }),
      };
      const { data } = await session.client.operations.analyze({ body });
      say(session, data, () => documentText(data, 2));
    });
}
