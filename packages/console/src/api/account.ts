import { Lists } from '@ploidy/client';
import { queryOptions } from '@tanstack/react-query';
import { account, all, api, take } from './client.ts';

/** Lists of the service, each to its last page. */
export const lists = new Lists(api);

/** Cohorts of a project. */
export const cohorts = (projectId: string) =>
  queryOptions({
    queryKey: ['cohorts', projectId],
    queryFn: () => all(lists.cohorts(projectId)),
  });

/** People of the account. */
export const members = () =>
  queryOptions({ queryKey: ['members', account()], queryFn: () => all(lists.users()) });

/** Groups of the account. */
export const groups = () =>
  queryOptions({ queryKey: ['groups', account()], queryFn: () => all(lists.groups()) });

/** Policies of the account. */
export const policies = () =>
  queryOptions({ queryKey: ['policies', account()], queryFn: () => all(lists.policies()) });

/** Webhooks of the account. */
export const webhooks = () =>
  queryOptions({ queryKey: ['webhooks', account()], queryFn: () => all(lists.webhooks()) });

/** The newest deliveries of a webhook. */
export const deliveries = (webhookId: string) =>
  queryOptions({
    queryKey: ['deliveries', webhookId],
    queryFn: () => all(lists.deliveries(webhookId), 200),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'waiting') ? 2000 : false),
  });

/** Applications of the account. */
export const clients = () =>
  queryOptions({
    queryKey: ['clients', account()],
    queryFn: async () => (await take(api.GET('/v1/clients'))).clients,
  });
