import { queryOptions } from '@tanstack/react-query';
import { all, api, orNone, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';

export type Ingestion = Shape<'Ingestion'>;

/** Ingestions that a page looks through; older ones are left out. */
export const ingestionsMax = 5000;

/** Files of a project that are ingested, each by its latest ingestion that succeeded; none where the caller may list none. */
export const ingestedFiles = (datasetId: string) =>
  queryOptions({
    queryKey: ['ingestions', datasetId, 'files'],
    queryFn: async () => {
      const params = { query: { datasetId, pageSize: 1000 } };
      const list = await orNone(all(take(api.GET('/v1/ingestions', { params })), ingestionsMax));
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
