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

/** Projects of the chosen account, with the rights of the user in them; with the counts of their files where asked. */
export const projects = (include: 'rights' | 'rights,counts' = 'rights') =>
  queryOptions({
    queryKey: ['projects', account(), include],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects', { params: { query: { pageSize: 1000, include, nextPageToken } } }),
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

/**
 * Reports whether the user may do something; `undefined` until it is known. The list of projects answers for a whole project, and
 * the service for anything else.
 */
export function useMay(
  privilege: Privilege,
  resource: AskedResource = { type: 'account' },
): boolean | undefined {
  const { dataset } = resource;
  const list = useQuery({ ...projects(), enabled: dataset !== undefined });
  const rights = list.data?.find(({ id }) => id === dataset)?.rights;
  const right = rights?.find((one) => one.privilege === privilege);
  const known = right?.isWhole ? true : rights && !right ? false : undefined;
  const { data } = useQuery({
    queryKey: ['may', account(), privilege, resource],
    staleTime: 60_000,
    enabled: dataset === undefined || (!list.isPending && known === undefined),
    queryFn: () => take(api.POST('/v1/policies/explain', { body: { privilege, resource: { ...resource } } })),
  });
  return known ?? data?.allowed;
}
