import type { Command } from 'commander';
import { storeProject } from '../config.ts';
import { listCommand } from '../list-command.ts';
import { openSession, printResult, projectOf } from '../session.ts';
import { visible } from '../visible.ts';
import { addProjectDeletions } from './deletions.ts';

export function addProjects(program: Command): void {
  const projects = program.command('projects').description('projects of the account');
  listCommand(
    projects
      .command('ls')
      .description('list the projects')
      .argument('[prefix]', 'only names that begin with this'),
    (session, prefix: string | undefined) => session.client.projects(prefix),
    ['id', 'name', 'description', 'deletion'],
    (project) => [project.id, project.name, project.description ?? '', project.deletionDate ?? ''],
  );
  projects
    .command('create')
    .description('create a project')
    .argument('<name>')
    .option('--description <text>', 'purpose of the project')
    .option('--use', 'use it for the following commands')
    .action(async (name: string, options: { description?: string; use?: boolean }, command: Command) => {
      const session = await openSession(command);
      const project = await session.client.createProject(name, options.description);
      if (options.use) storeProject(session.credentials, project.id);
      printResult(session, project, () => project.id);
    });
  projects
    .command('show')
    .description('show a project')
    .argument('[project]', 'id or name')
    .action(async (named: string | undefined, _options: object, command: Command) => {
      const session = await openSession(command);
      const project = await projectOf(session, named);
      printResult(session, project, () =>
        Object.entries(project)
          .map(
            ([name, value]) =>
              `${name}  ${visible(typeof value === 'object' ? JSON.stringify(value) : value)}`,
          )
          .join('\n'),
      );
    });
  projects
    .command('rename')
    .description('rename a project')
    .argument('<project>', 'id or name')
    .argument('<name>', 'new name')
    .action(async (named: string, name: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, named);
      const { data } = await session.client.api.PATCH('/v1/projects/{id}', {
        params: { path: { id } },
        body: { name },
      });
      printResult(session, data, () => `Renamed to ${visible(name)}.`);
    });
  projects
    .command('use')
    .description('choose the project for the following commands')
    .argument('<project>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const project = await projectOf(session, named);
      storeProject(session.credentials, project.id);
      printResult(session, project, () => `Commands now use the project ${visible(project.name)}.`);
    });
  addProjectDeletions(projects);
}
