import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { openSession, printList, printResult, projectOf } from '../session.ts';
import { alignedTable } from '../table.ts';

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('list the tables of the project, or the columns of one table')
    .argument('[table]')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string | undefined, options: { project?: string }, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, options.project);
      const tables = await session.client.schemas(id);
      if (named === undefined) {
        printList(session, tables, ['table', 'columns', 'since'], ({ table, columns, created }) => [
          table,
          String(columns.length),
          created,
        ]);
        return;
      }
      const found = tables.find(({ table }) => table === named);
      if (!found) throw new CommandError(`There is no table "${named}" in the project.`, exitCodes.notFound);
      const rows = found.columns.map(({ name, type }) => [name, type]);
      printResult(session, found, () => alignedTable(['column', 'type'], rows));
    });
}
