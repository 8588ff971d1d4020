import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { invalidInput } from '../../problem.ts';
import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { mistakesIn, namedPolicyShape, policyNameShape, policyShape } from './shapes.ts';
import { etagOf, type StoredPolicies, viewOfPolicy } from './stored-policies.ts';

const tag = 'Policies';

const policyParams = Type.Object({
  policyId: Type.String({ minLength: 1, maxLength: 255, description: 'Its id, or its name' }),
});

/** /v1/policies */
export function policyRoutes(policies: StoredPolicies, pages: Pages): Route[] {
  return [
    listRoute(policies, pages),
    createRoute(policies),
    readRoute(policies),
    updateRoute(policies),
    deleteRoute(policies),
  ];
}

function listRoute(policies: StoredPolicies, pages: Pages): Route {
  return route({
    method: 'GET',
    path: '/v1/policies',
    operation: 'policies.list',
    tag,
    summary: 'Policies of the account',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(namedPolicyShape), description: 'By name' } },
    handle: async ({ account, query, caller }) => {
      const { name = '' } = query;
      const scope = JSON.stringify(['policies', account, caller.userId, name]);
      const page = pages.read(query, scope);
      const rows = await policies.list(caller, account, name, page);
      const list = { path: '/v1/policies', query, scope };
      return pages.answer(rows, page, list, (row) => [nameKey(row.name)], viewOfPolicy);
    },
  });
}

function createRoute(policies: StoredPolicies): Route {
  return route({
    method: 'POST',
    path: '/v1/policies',
    operation: 'policies.create',
    tag,
    summary: 'Make a policy; it takes effect at once',
    accountHeader: true,
    body: Type.Object({ name: policyNameShape, policy: policyShape }),
    answers: { 200: { schema: namedPolicyShape, description: 'The policy with its id', etag: true } },
    locate: async ({ body }, account) => {
      const mistakes = mistakesIn('body', body);
      if (mistakes.length > 0) throw invalidInput(mistakes);
      return { attributes: { account, type: 'account', id: account }, record: undefined };
    },
    handle: async ({ account, body, caller, requestId }) => {
      const made = await policies.create(account, body.name, body.policy, { caller, requestId });
      const etag = etagOf({ name: made.name, document: JSON.stringify(made.policy) });
      return new Answer(200, made, { etag });
    },
  });
}

function readRoute(policies: StoredPolicies): Route {
  return route({
    method: 'GET',
    path: '/v1/policies/:policyId',
    operation: 'policies.read',
    tag,
    summary: 'One policy, by id or name',
    accountHeader: true,
    params: policyParams,
    answers: { 200: { schema: namedPolicyShape, description: 'The policy', etag: true } },
    locate: ({ params }, account) => policies.locate(account, params.policyId),
    handle: async ({ resource }) => new Answer(200, viewOfPolicy(resource), { etag: etagOf(resource) }),
  });
}

function updateRoute(policies: StoredPolicies): Route {
  return route({
    method: 'PUT',
    path: '/v1/policies/:policyId',
    operation: 'policies.update',
    tag,
    summary: 'Rename a policy, replace its rules, or both; it takes effect at once',
    description: 'What is absent stays as it is.',
    headers: ['If-Match'],
    accountHeader: true,
    params: policyParams,
    body: Type.Object({ name: Type.Optional(policyNameShape), policy: Type.Optional(policyShape) }),
    answers: { 200: { schema: namedPolicyShape, description: 'The policy as it is now', etag: true } },
    locate: async ({ params, body }, account) => {
      const mistakes = mistakesIn('body', body);
      if (mistakes.length > 0) throw invalidInput(mistakes);
      return policies.locate(account, params.policyId);
    },
    handle: async ({ resource, body, caller, requestId, headers }) => {
      const by = { caller, requestId };
      const row = await policies.update(resource, body, single(headers['if-match']), by);
      return new Answer(200, viewOfPolicy(row), { etag: etagOf(row) });
    },
  });
}

function deleteRoute(policies: StoredPolicies): Route {
  return route({
    method: 'DELETE',
    path: '/v1/policies/:policyId',
    operation: 'policies.delete',
    tag,
    summary: 'Delete a policy; it takes effect at once',
    headers: ['If-Match'],
    accountHeader: true,
    params: policyParams,
    answers: { 204: { description: 'Deleted' } },
    locate: ({ params }, account) => policies.locate(account, params.policyId),
    handle: async ({ resource, caller, requestId, headers }) => {
      await policies.delete(resource, single(headers['if-match']), { caller, requestId });
      return new Answer(204);
    },
  });
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
