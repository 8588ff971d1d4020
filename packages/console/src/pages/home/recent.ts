import { queryOptions } from '@tanstack/react-query';
import { lists } from '../../api/account.ts';
import { all, api, orNone, take } from '../../api/client.ts';
import { statementOf } from '../../api/work.ts';

/** Work that the caller began. */
export interface RecentWork {
  id: string;
  kind: 'query' | 'ingestion' | 'cohort';
  projectId: string;
  /** Statement, name of the file, or name of the cohort. */
  what: string;
  state: string;
  /** ISO 8601 */
  at: string;
}

/** Ingestions of a project among which those of the caller are looked for. */
const ingestionsMax = 100;

/** Latest queries, ingestions and cohorts of a user in a project, newest first. */
export const recentWork = (project: string, userId: string, rowsMax: number) =>
  queryOptions({
    queryKey: ['recent', project, userId],
    queryFn: async () => {
      const lists = [
        queriesOf(project, userId, rowsMax),
        ingestionsOf(project, userId),
        cohortsOf(project, userId),
      ];
      const found = (await Promise.all(lists.map(orNone))).flat();
      return newest(found).slice(0, rowsMax);
    },
  });

/** Sorts work by time, the newest first. */
export function newest<W extends RecentWork>(work: W[]): W[] {
  return work.toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

async function queriesOf(datasetId: string, userId: string, pageSize: number): Promise<RecentWork[]> {
  const params = { query: { datasetId, userId, pageSize } };
  const { items } = await take(api.GET('/api/v1/analytics/data-lake/query', { params }));
  return items.map((query) => ({
    id: query.id,
    kind: 'query',
    projectId: datasetId,
    what: statementOf(query),
    state: query.state,
    at: new Date(query.startTime).toISOString(),
  }));
}

async function ingestionsOf(datasetId: string, caller: string): Promise<RecentWork[]> {
  const params = { query: { datasetId, pageSize: ingestionsMax } };
  const { items } = await take(api.GET('/v1/ingestions', { params }));
  return items
    .filter(({ userId }) => userId === caller)
    .map(({ id, fileName, state, created }) => ({
      id,
      kind: 'ingestion',
      projectId: datasetId,
      what: fileName,
      state,
      at: created,
    }));
}

async function cohortsOf(projectId: string, userId: string): Promise<RecentWork[]> {
  const found = await all(lists.cohorts(projectId));
  return found
    .filter(({ creatorUser }) => creatorUser === userId)
    .map(({ id, name, creationTime, resultCount }) => ({
      id,
      kind: 'cohort',
      projectId,
      what: name,
      state: `${resultCount.toLocaleString()} ${resultCount === 1 ? 'subject' : 'subjects'}`,
      at: creationTime,
    }));
}
