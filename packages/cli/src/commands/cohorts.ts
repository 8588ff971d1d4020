import { bodyOf } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { collect, definedOf, readJson } from '../input.ts';
import { projectListCommand } from '../list-command.ts';
import { isId, namedAs, openSession, printEach, printResult, projectOf, type Session } from '../session.ts';
import { visible } from '../visible.ts';

interface ProjectOption {
  project?: string;
}

interface CreateOptions extends ProjectOption {
  description?: string;
  sql?: string;
  dsl?: string;
  subject?: string[];
}

export function addCohorts(program: Command): void {
  const cohorts = program.command('cohorts').description('cohorts: named sets of patients');
  projectListCommand(
    cohorts.command('ls').description('list the cohorts of a project'),
    (session, id) => session.client.cohorts(id),
    ['id', 'name', 'patients', 'counted'],
    (cohort) => [cohort.id, cohort.name, String(cohort.resultCount), cohort.countedTime],
  );
  cohorts
    .command('show')
    .description('show a cohort with its queries')
    .argument('<cohort>', 'id or name')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string, { project }: ProjectOption, command: Command) => {
      const session = await openSession(command);
      const cohort = await cohortOf(session, named, project);
      printResult(session, cohort, () =>
        [
          `${cohort.name}  ${cohort.resultCount} patients`,
          ...(cohort.error === undefined ? [] : [cohort.error]),
          ...cohort.queries.map(({ queryType, query }) => `${queryType}  ${JSON.stringify(query)}`),
        ]
          .map(visible)
          .join('\n'),
      );
    });
  cohorts
    .command('create')
    .description('create a cohort from a statement, an analytics query or patient ids')
    .argument('<name>')
    .option('-p, --project <project>', 'id or name of its project')
    .option('--description <text>', 'purpose of the cohort')
    .option('--sql <statement>', 'statement that selects patient_id')
    .option('--dsl <file>', 'file with an analytics query as JSON; - for standard input')
    .option('--subject <id>', 'patient id; may be repeated', collect)
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const session = await openSession(command);
      const { id: project } = await projectOf(session, options.project);
      const queries = [];
      if (options.sql !== undefined)
        queries.push({ project, queryType: 'sql' as const, query: { sql: options.sql } });
      if (options.dsl !== undefined)
        queries.push({
          project,
          queryType: 'dsl' as const,
          query: await readJson<Record<string, unknown>>(options.dsl),
        });
      const { subject: subjectIds, description } = options;
      if (queries.length === 0 && subjectIds === undefined)
        throw new CommandError('Give --sql, --dsl or --subject.', exitCodes.usage);
      const body = { name, ownerProject: project, queries, ...definedOf({ subjectIds, description }) };
      const cohort = await session.client.operations.createCohort({ body });
      printResult(session, cohort, () => `${cohort.id}  ${cohort.resultCount} patients`);
    });
  cohorts
    .command('rename')
    .description('rename a cohort')
    .argument('<cohort>', 'id or name')
    .argument('<name>', 'new name')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string, name: string, { project }: ProjectOption, command: Command) => {
      const session = await openSession(command);
      const path = { cohortId: (await cohortOf(session, named, project)).id };
      const cohort = await session.client.operations.updateCohort({ path, body: { name } });
      printResult(session, cohort, () => `Renamed to ${visible(name)}.`);
    });
  cohorts
    .command('rm')
    .description('delete cohorts; their patients stay')
    .argument('<cohorts...>', 'ids or names')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .action(async (named: string[], { project }: ProjectOption, command: Command) => {
      const session = await openSession(command);
      const found = [];
      for (const one of named) found.push(await cohortOf(session, one, project));
      await printEach(
        session,
        found,
        async ({ id, name }) => {
          await session.client.operations.deleteCohort({ path: { cohortId: id } });
          return { id, name };
        },
        ({ name }) => `Deleted ${visible(name)}.`,
      );
    });
}

/** Finds a cohort by id, or by its name in the project. */
async function cohortOf(session: Session, named: string, project: string | undefined) {
  if (isId(named)) {
    const params = { path: { cohortId: named } };
    return bodyOf(await session.client.api.GET('/v1/cohorts/{cohortId}', { params }));
  }
  const { id } = await projectOf(session, project);
  const cohort = await namedAs(session.client.cohorts(id), named);
  if (cohort) return cohort;
  throw new CommandError(`There is no cohort "${named}".`, exitCodes.notFound);
}
