import { pages } from '@ploidy/client';
import { queryOptions } from '@tanstack/react-query';
import { all, api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';

export type SavedQuery = Shape<'SavedQuery'>;
export type SavedQueryItem = Shape<'SavedQueryItem'>;

/** Fields that a user writes. */
type SavedFields = Pick<SavedQuery, 'name' | 'description' | 'statement' | 'shared'>;

/** Own and shared queries of a project, without their statements. */
export const savedQueries = (projectId: string) =>
  queryOptions({
    queryKey: ['saved', projectId],
    queryFn: () =>
      all(
        pages((nextPageToken) => {
          const params = { path: { projectId }, query: { pageSize: 1000, nextPageToken } };
          return api.GET('/v1/projects/{projectId}/saved-queries', { params });
        }),
      ),
  });

const at = (projectId: string, savedQueryId: string) => ({ params: { path: { projectId, savedQueryId } } });

/** One saved query with its statement. */
export const savedQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['saved', project, id],
    queryFn: () => take(api.GET('/v1/projects/{projectId}/saved-queries/{savedQueryId}', at(project, id))),
    retry: false,
  });

/** Saves a new query, or replaces the one with this id. */
export function save(project: string, id: string | undefined, body: SavedFields): Promise<SavedQuery> {
  if (id !== undefined)
    return take(
      api.PUT('/v1/projects/{projectId}/saved-queries/{savedQueryId}', { ...at(project, id), body }),
    );
  const params = { path: { projectId: project } };
  return take(api.POST('/v1/projects/{projectId}/saved-queries', { params, body }));
}

/** Plans a saved query; without a plan, ends that of before. */
export function schedule(project: string, id: string, cron: string | undefined): Promise<unknown> {
  const address = '/v1/projects/{projectId}/saved-queries/{savedQueryId}/schedule';
  if (cron === undefined) return take(api.DELETE(address, at(project, id)));
  return take(api.PUT(address, { ...at(project, id), body: { cron, format: 'csv' } }));
}

/** Deletes a saved query. */
export function remove(project: string, id: string): Promise<unknown> {
  return take(api.DELETE('/v1/projects/{projectId}/saved-queries/{savedQueryId}', at(project, id)));
}
