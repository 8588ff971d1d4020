import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError } from '../exit.ts';
import { projectListCommand } from '../list-command.ts';
import { openSession, printResult } from '../session.ts';
import { stateText } from '../state-text.ts';
import { summary, watchIngestion } from './ingest.ts';

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
    .command('watch')
    .description('wait for the end of an ingestion and show it; Ctrl-C leaves it running')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const params = { path: { id } };
      const started = bodyOf(await session.client.api.GET('/v1/ingestions/{id}', { params }));
      const ended = await watchIngestion(session, started, false);
      printResult(session, ended, () => summary(ended));
      if (ended.state !== 'succeeded')
        throw new CommandError(
          `The ingestion ${ended.state}: ${ended.error?.message ?? ''}`.replace(/: $/, '.'),
        );
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
