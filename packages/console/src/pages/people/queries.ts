import { queryOptions } from '@tanstack/react-query';
import { account, all, api, take } from '../../api/client.ts';

/** People of the account. */
export const members = () =>
  queryOptions({
    queryKey: ['members', account()],
    queryFn: () => all(take(api.GET('/v1/account/users', { params: { query: { pageSize: 1000 } } }))),
  });

/** Groups of the account. */
export const groups = () =>
  queryOptions({
    queryKey: ['groups', account()],
    queryFn: () => all(take(api.GET('/v1/account/groups', { params: { query: { pageSize: 1000 } } }))),
  });

/** Policies of the account. */
export const policies = () =>
  queryOptions({
    queryKey: ['policies', account()],
    queryFn: () => all(take(api.GET('/v1/policies', { params: { query: { pageSize: 1000 } } }))),
  });

/** Applications of the account. */
export const clients = () =>
  queryOptions({
    queryKey: ['clients', account()],
    queryFn: async () => (await take(api.GET('/v1/clients'))).clients,
  });

/** Privileges that policies can grant. */
export const privileges = [
  'accessAdmin',
  'accountAdmin',
  'projectAdmin',
  'createData',
  'readData',
  'readMaskedData',
  'updateData',
  'deleteData',
  'apiKeyUser',
  'auditRead',
];
