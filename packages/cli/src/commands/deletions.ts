import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { openSession, printResult, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';

/** `projects rm` and `projects restore`. */
export function addProjectDeletions(projects: Command): void {
  projects
    .command('rm')
    .description('delete a project and everything in it, after a grace period')
    .argument('<project>', 'id or name')
    .option('--force', 'delete at once and for good')
    .action(async (named: string, { force = false }: { force?: boolean }, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, named);
      const path = { id };
      await session.client.api.DELETE('/v1/projects/{id}', { params: { path, query: { force } } });
      const present = force
        ? undefined
        : bodyOf(await session.client.api.GET('/v1/projects/{id}', { params: { path } }));
      printDeleted(session, 'projects', id, present);
    });
  projects
    .command('restore')
    .description('cancel the deletion of a project')
    .argument('<project>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, named);
      const request = { params: { path: { id } }, body: { deletionDate: '' } };
      const project = bodyOf(await session.client.api.PATCH('/v1/projects/{id}', request));
      printResult(session, project, () => `${visible(project.name)} will not be deleted.`);
    });
}

/** Reports a deletion; `present` is the item that remains until its date. */
export function printDeleted(
  session: Session,
  what: 'projects' | 'accounts',
  id: string,
  present: { deletionDate?: string } | undefined,
): void {
  const date = present?.deletionDate;
  const text = () =>
    date === undefined
      ? 'Deleted.'
      : `It will be deleted on ${date}. Until then it works, and "ploidy ${what} restore ${visible(id)}" cancels the deletion.`;
  printResult(session, present ?? { id, removed: true }, text);
}
