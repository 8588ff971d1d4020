import { type Static, Type } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { type PageRequest, type Pages, pageOf, pageQuery } from '../api/paging.ts';
import { type Route, route } from '../api/route.ts';
import { textOf, waitingShape } from '../api/shapes.ts';
import type { Cohorts } from '../domains/analysis/cohorts/index.ts';
import type { Files } from '../domains/files/index.ts';
import type { Projects } from '../domains/files/projects/index.ts';
import { type Ingestions, knowsFile, viewOfIngestion } from '../domains/ingestion/index.ts';
import type { RowRights } from '../domains/lake/index.ts';
import { type Queries, viewOfQuery } from '../domains/queries/index.ts';

const kinds = ['query', 'ingestion', 'cohort'] as const;

const workShape = Type.Object(
  {
    id: textOf('Id of the query, ingestion or cohort'),
    kind: Type.String({ enum: [...kinds], description: 'Kind of the work' }),
    datasetId: textOf('Id of the project'),
    projectName: textOf('Name of the project'),
    what: textOf(
      'Statement, name of the file, or name of the cohort; empty where the caller may not know it',
    ),
    state: Type.String({
      enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
      description: 'State; of a cohort always `succeeded`',
    }),
    progress: Type.Optional(Type.Number({ description: '0..1 while it runs, where it is known' })),
    waiting: waitingShape(Type.Integer({ description: 'Start of the wait, epoch milliseconds' })),
    userId: textOf('Id of the user who began it'),
    at: Type.Integer({ description: 'When it was begun, epoch milliseconds' }),
  },
  { title: 'Work' },
);

type Work = Omit<Static<typeof workShape>, 'projectName'>;

interface ActivityDeps {
  queries: Queries;
  ingestions: Ingestions;
  files: Files;
  cohorts: Cohorts;
  projects: Projects;
  pages: Pages;
  rights: RowRights;
}

/** Work of one kind, newest first, one row more than the page. */
type Source = (caller: Caller, account: string, page: PageRequest, isOpen: boolean) => Promise<Work[]>;

/** GET /v1/activity: work in all projects of an account, in one list. */
export function activityRoute(deps: ActivityDeps): Route {
  const { projects, pages } = deps;
  const sources: Record<(typeof kinds)[number], Source> = {
    query: (...asked) => queriesOf(deps, ...asked),
    ingestion: (...asked) => ingestionsOf(deps, ...asked),
    cohort: async (caller, account, page, isOpen) => (isOpen ? [] : cohortsOf(deps, caller, account, page)),
  };
  return route({
    method: 'GET',
    path: '/v1/activity',
    operation: 'projects.activity',
    tag: 'Projects',
    summary: 'List queries, ingestions and cohorts in all projects of an account',
    description:
      'Lists the work of the caller; with `open=true` the work of all users that has not ended and that the caller may see.',
    accountHeader: true,
    query: Type.Object({
      open: Type.Optional(Type.Boolean({ description: 'Work that has not ended, of all users' })),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(workShape), description: 'Newest first' } },
    handle: async ({ account, query, caller }) => {
      const isOpen = query.open ?? false;
      const list = { path: '/v1/activity', query, scope: `activity:${account}:${caller.userId}:${isOpen}` };
      const page = pages.read(query, list.scope);
      const found = await Promise.all(
        Object.values(sources).map((source) => source(caller, account, page, isOpen)),
      );
      const newest = found.flat().sort((one, other) => (one.id < other.id ? 1 : -1));
      const shown = newest.slice(0, page.size + 1);
      const names = await projects.names(caller, account, new Set(shown.map(({ datasetId }) => datasetId)));
      const answer = pages.answer(
        shown,
        page,
        list,
        ({ id }) => [id],
        (work) => ({ ...work, projectName: names.get(work.datasetId) ?? '' }),
      );
      // Rows of a project that is being removed stay for a while.
      return { ...answer, items: answer.items.filter(({ datasetId }) => names.has(datasetId)) };
    },
  });
}

async function queriesOf(
  { queries, rights }: ActivityDeps,
  caller: Caller,
  account: string,
  page: PageRequest,
  isOpen: boolean,
): Promise<Work[]> {
  const filter = isOpen ? { state: 'running' as const } : { userId: caller.userId };
  const rows = await queries.list(caller, { account }, page, filter);
  const [waiting, covered] = [await queries.waiting(rows), await rights.covered(caller, rows)];
  return rows.map((row) => {
    const { queryString, ...view } = viewOfQuery(row, caller, covered.has(row), waiting.get(row.job_id));
    return {
      ...{ id: row.id, kind: 'query', datasetId: row.project_id, userId: row.user_id, at: row.started_at },
      ...{ what: Buffer.from(queryString, 'base64').toString(), state: view.state },
      ...(view.progress !== undefined && { progress: view.progress }),
      ...(view.waiting && { waiting: view.waiting }),
    };
  });
}

async function ingestionsOf(
  { ingestions, files }: ActivityDeps,
  caller: Caller,
  account: string,
  page: PageRequest,
  isOpen: boolean,
): Promise<Work[]> {
  const filter = isOpen ? { isOpen } : { userId: caller.userId };
  const rows = await ingestions.list(caller, { account }, page, filter);
  const waiting = await ingestions.waiting(rows);
  return Promise.all(
    rows.map(async (row): Promise<Work> => {
      const isKnown = await knowsFile(row, caller, files);
      const {
        fileName: what,
        state,
        ...view
      } = viewOfIngestion(row, caller, isKnown, waiting.get(row.job_id));
      const { bytes, bytesTotal } = view.progress;
      const wait = waiting.get(row.job_id);
      return {
        ...{ id: row.id, kind: 'ingestion', datasetId: row.project_id, what, state },
        ...(state === 'running' && bytesTotal > 0 && { progress: bytes / bytesTotal }),
        ...(wait && { waiting: wait }),
        ...{ userId: row.user_id, at: row.created_at },
      };
    }),
  );
}

async function cohortsOf(
  { cohorts }: ActivityDeps,
  caller: Caller,
  account: string,
  page: PageRequest,
): Promise<Work[]> {
  const rows = await cohorts.listMade(caller, account, page);
  return rows.map((row) => ({
    ...{ id: row.id, kind: 'cohort', datasetId: row.project_id, userId: row.creator_id, at: row.created_at },
    ...{ what: row.name, state: 'succeeded' },
  }));
}
