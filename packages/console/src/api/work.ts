import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { lists } from './account.ts';
import { all, api, orNone, take } from './client.ts';
import type { Shape } from './lists.ts';

export type Query = Shape<'Query'>;
export type Ingestion = Shape<'Ingestion'>;
export type Sync = Shape<'EhrSync'>;

/** Reports whether an ingestion or a sync has not ended. */
export const isOpen = ({ state }: Ingestion | Sync): boolean =>
  ['queued', 'running', 'ingesting'].includes(state);

/** Returns the statement of a query; empty where the caller may not read it. */
export function statementOf({ queryString }: Query): string {
  const bytes = Uint8Array.from(atob(queryString), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** Latest ingestions of a project; asked again while one is under way. What other pages know is asked again when one succeeds. */
export function useIngestions(datasetId: string, enabled = true) {
  const queries = useQueryClient();
  const query = useQuery({ ...ingestionsOf(datasetId), enabled });
  const succeeded = query.data?.filter(({ state }) => state === 'succeeded').length;
  const before = useRef(succeeded);
  useEffect(() => {
    if (succeeded === undefined) return;
    if (before.current !== undefined && succeeded > before.current)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'ingestions' });
    before.current = succeeded;
  }, [succeeded, queries]);
  return query;
}

const ingestionsOf = (datasetId: string) =>
  queryOptions({
    queryKey: ['ingestions', datasetId],
    queryFn: async () =>
      (await take(api.GET('/v1/ingestions', { params: { query: { datasetId, pageSize: 500 } } }))).items,
    refetchInterval: ({ state: { data } }) => (data?.some(isOpen) ? 1000 : false),
  });

/** Ingestions that a page looks through; older ones are left out. */
export const ingestionsMax = 5000;

/** Files of a project that are ingested, each by its latest ingestion that succeeded; none where the caller may list none. */
export const ingestedFiles = (datasetId: string) =>
  queryOptions({
    queryKey: ['ingestions', datasetId, 'files'],
    queryFn: async () => {
      const list = await orNone(all(lists.ingestions(datasetId), ingestionsMax));
      // The list begins with the newest: the first of a file is its latest.
      const latest = new Map<string, Ingestion>();
      for (const one of list)
        if (one.state === 'succeeded' && !latest.has(one.fileId)) latest.set(one.fileId, one);
      return [...latest.values()];
    },
  });

/** Returns the month of an ingestion, as `2026-11`, and its type. */
export function placeOf({ ended, created, type }: Ingestion): { month: string; type: string } {
  return { month: (ended ?? created).slice(0, 7), type: type ?? 'other' };
}
