import { type Privilege, pages, type ResourceType } from '@ploidy/client';
import type { components } from '@ploidy/client/api';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { account, all, api, take } from './client.ts';

/** A shape of the API by its name. */
export type Shape<N extends keyof components['schemas']> = components['schemas'][N];

/** The signed-in user. */
export const self = queryOptions({ queryKey: ['user'], queryFn: () => take(api.GET('/v1/user')) });

/** Accounts of the user. */
export const accounts = queryOptions({
  queryKey: ['accounts'],
  queryFn: async () => (await take(api.GET('/v1/accounts'))).accounts,
});

/** Projects of the chosen account. */
export const projects = () =>
  queryOptions({
    queryKey: ['projects', account()],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects', { params: { query: { pageSize: 1000, nextPageToken } } }),
        ),
      ),
  });

/** Projects of the chosen account, with the rights of the user in them and the counts of their files. */
export const projectsWithRights = () =>
  queryOptions({
    queryKey: ['projects', account(), 'rights'],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects', {
            params: { query: { pageSize: 1000, include: 'rights,counts', nextPageToken } },
          }),
        ),
      ),
  });

/** One project. */
export const project = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: () => take(api.GET('/v1/projects/{id}', { params: { path: { id } } })),
  });

/** Tables of a project with their columns. */
export const schema = (datasetId: string) =>
  queryOptions({
    queryKey: ['schema', datasetId],
    queryFn: async () =>
      (await take(api.GET('/api/v1/analytics/data-lake/schema', { params: { query: { datasetId } } })))
        .schemas,
  });

interface AskedResource {
  dataset?: string;
  type?: ResourceType;
}

/** Asks the service whether the caller may do something; `undefined` until it has answered. */
export function useMay(
  privilege: Privilege,
  resource: AskedResource = { type: 'account' },
): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['may', account(), privilege, resource],
    staleTime: 60_000,
    queryFn: () => take(api.POST('/v1/policies/explain', { body: { privilege, resource: { ...resource } } })),
  });
  return data?.allowed;
}
