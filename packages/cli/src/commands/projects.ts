import type { Command } from 'commander';
import { storeProject } from '../config.ts';
import { openSession, projectOf, say, sayList } from '../session.ts';
import { visible } from '../visible.ts';
import { addProjectDeletions } from './deletions.ts';

export function addProjects(program: Command): void {
  const projects = program.command('projects').description('projects of the account');
  projects
    .command('ls')
    .description('list them')
    .argument('[prefix]', 'only names that begin with this')
    .action(async (prefix: string | undefined, _options: object, command: Command) => {
      const session = await openSession(command);
      const items = await Array.fromAsync(session.client.projects(prefix));
      sayList(session, items, ['id', 'name', 'description', 'deletion'], (project) => [
        project.id,
        project.name,
        project.description ?? '',
        project.deletionDate ?? '',
      ]);
    });
  projects
    .command('create')
    .description('make one')
    .argument('<name>')
    .option('--description <text>')
    .option('--use', 'and use it for the commands that follow')
    .action(async (name: string, options: { description?: string; use?: boolean }, command: Command) => {
      const session = await openSession(command);
      const project = await session.client.createProject(name, options.description);
      if (options.use) storeProject(session.credentials, project.id);
      say(session, project, () => project.id);
    });
  projects
    .command('show')
    .description('show one')
    .argument('[project]', 'id or name')
    .action(async (named: string | undefined, _options: object, command: Command) => {
      const session = await openSession(command);
      const project = await projectOf(session, named);
      say(session, project, () =>
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
    .description('give one another name')
    .argument('<project>', 'id or name')
    .argument('<name>')
    .action(async (named: string, name: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const { id } = await projectOf(session, named);
      const { data } = await session.client.api.PATCH('/v1/projects/{id}', {
        params: { path: { id } },
        body: { name },
      });
      say(session, data, () => `Renamed to ${visible(name)}.`);
    });
  projects
    .command('use')
    .description('choose the project for the commands that follow')
    .argument('<project>', 'id or name')
    .action(async (named: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const project = await projectOf(session, named);
      storeProject(session.credentials, project.id);
      say(session, project, () => `Commands are now about ${visible(project.name)}.`);
    });
  addProjectDeletions(projects);
}
