import type { Command } from 'commander';
import { CommandError } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { projectListCommand } from '../list-command.ts';
import { openSession, printEach, printResult } from '../session.ts';
import { stateText } from '../state-text.ts';
import { visible } from '../visible.ts';

export function addQueries(program: Command): void {
  const queries = program.command('queries').description('query history of a project');
  projectListCommand(
    queries.command('ls').description('list the queries, newest first'),
    (session, id) => session.client.queries(id),
    ['id', 'state', 'rows', 'result file', 'started'],
    (query) => [
      query.id,
      stateText(query),
      String(query.rowCount ?? ''),
      query.outputFileName,
      new Date(query.startTime).toISOString(),
    ],
  );
  queries
    .command('show')
    .argument('<id>')
    .description('show a query with its statement')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const query = await session.client.queryState(id);
      const sql = Buffer.from(query.queryString, 'base64').toString();
      printResult(session, query, () =>
        [
          `${stateText(query)}  ${query.outputFileName}`,
          ...(query.error ? [query.error.message] : []),
          ...sql.split('\n'),
        ]
          .map(visible)
          .join('\n'),
      );
    });
  queries
    .command('watch')
    .argument('<id>')
    .description('wait for the end of a query; Ctrl-C leaves it running')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const ended = await interruptible(
        (signal) => session.client.waitForQuery(id, { signal }),
        async () => 'Interrupted; the query goes on.',
      );
      printResult(session, ended, () => visible(`${stateText(ended)}  ${ended.outputFileName}`));
      if (ended.state !== 'succeeded')
        throw new CommandError(ended.error?.message ?? `The query ${ended.state}.`);
    });
  queries
    .command('cancel')
    .argument('<id>')
    .description('cancel a running query')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const query = await session.client.cancelQuery(id);
      printResult(session, query, () => 'Cancelled.');
    });
  queries
    .command('rm')
    .argument('<ids...>')
    .description('delete result files; the statements stay in the history')
    .action(async (ids: string[], _options: object, command: Command) => {
      const session = await openSession(command);
      const remove = async (id: string) => {
        const { resultFileId = id } = await session.client.queryState(id);
        await session.client.operations.deleteFile({ path: { id: resultFileId } });
        return { id, deleted: true };
      };
      await printEach(session, ids, remove, ({ id }) => `Deleted the result of ${visible(id)}.`);
    });
}
