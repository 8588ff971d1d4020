import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { projectListCommand } from '../list-command.ts';
import { openSession, printResult } from '../session.ts';
import { stateText } from '../state-text.ts';
import { summary } from './ingest.ts';

export function addIngestions(program: Command): void {
  const ingestions = program.command('ingestions').description('ingestions of a project');
  projectListCommand(
    ingestions.command('ls').description('list the ingestions, newest first'),
    (session, id) => session.client.ingestions(id),
    ['id', 'state', 'rows', 'warnings', 'file', 'created'],
    (one) => [
      one.id,
      stateText(one),
      String(one.progress.rows),
      String(one.warningCount),
      one.fileName || one.fileId,
      one.created,
    ],
  );
  ingestions
    .command('show')
    .description('show an ingestion with its warnings and error')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const params = { path: { id } };
      const found = bodyOf(await session.client.api.GET('/v1/ingestions/{id}', { params }));
      printResult(session, found, () => summary(found));
    });
  ingestions
    .command('cancel')
    .description('cancel an ingestion; it leaves no data')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      await session.client.cancelIngestion(id);
      printResult(session, { id, state: 'cancelled' }, () => 'Cancelled.');
    });
}
