import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import { nameKey } from '../../../base/names.ts';
import { invalidInput } from '../../../base/problem.ts';
import type { PoliciesTable } from '../../../platform/records/schema.ts';
import { faultsIn, namedPolicyShape, policyNameShape, policyShape, storedPolicyShape } from './shapes.ts';
import { etagOf, type StoredPolicies, viewOfPolicy } from './stored-policies.ts';
import { type GroupNames, warningsOf } from './warnings.ts';

const tag = 'Policies';

const policyParams = Type.Object({
  policyId: Type.String({ minLength: 1, maxLength: 255, description: 'Id or name' }),
});

/** Routes of /v1/policies. */
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
    summary: 'List the policies of the account',
    accountHeader: true,
    query: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 255, description: 'Prefix, regardless of case' })),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(namedPolicyShape), description: 'By name' } },
    handle: async ({ account, query, caller }) => {
      const { name = '' } = query;
      const scope = JSON.stringify(['policies', account, caller.userId, name]);
      const page = pages.read(query, scope);
      const rows = await policies.list(caller, account, name, page);
      const list = { path: '/v1/policies', query, scope };
      const groups = await policies.groupNames(account);
      return pages.answer(
        rows,
        page,
        list,
        (row) => [nameKey(row.name)],
        (row) => viewOfPolicy(row, groups),
      );
    },
  });
}

function createRoute(policies: StoredPolicies): Route {
  return route({
    method: 'POST',
    path: '/v1/policies',
    operation: 'policies.create',
    conflicts: ['POLICY_EXISTS', 'POLICIES_LIMIT'],
    tag,
    summary: 'Create a policy; it takes effect at once',
    accountHeader: true,
    body: Type.Object({ name: policyNameShape, policy: policyShape }),
    answers: { 200: { schema: storedPolicyShape, description: 'The policy with its id', etag: true } },
    locate: async ({ body }, account) => {
      const faults = faultsIn('body', body);
      if (faults.length > 0) throw invalidInput(faults);
      return { attributes: { account, type: 'policy' }, record: undefined };
    },
    handle: async ({ account, body, caller, requestId }) => {
      const made = await policies.create(account, body.name, body.policy, { caller, requestId });
      const row = { ...made, document: JSON.stringify(made.policy) };
      return answered(row, await policies.groupNames(account));
    },
  });
}

function readRoute(policies: StoredPolicies): Route {
  return route({
    method: 'GET',
    path: '/v1/policies/:policyId',
    operation: 'policies.read',
    tag,
    summary: 'Get a policy by id or name',
    accountHeader: true,
    params: policyParams,
    answers: { 200: { schema: namedPolicyShape, description: 'The policy', etag: true } },
    locate: ({ params }, account) => policies.locate(account, params.policyId),
    handle: async ({ resource, account }) =>
      new Answer(200, viewOfPolicy(resource, await policies.groupNames(account)), { etag: etagOf(resource) }),
  });
}

function updateRoute(policies: StoredPolicies): Route {
  return route({
    method: 'PUT',
    path: '/v1/policies/:policyId',
    operation: 'policies.update',
    conflicts: ['POLICY_EXISTS', 'POLICIES_LIMIT'],
    tag,
    summary: 'Rename a policy, replace its rules, or both; it takes effect at once',
    description: 'Absent fields stay unchanged.',
    headers: ['If-Match'],
    accountHeader: true,
    params: policyParams,
    body: Type.Object({ name: Type.Optional(policyNameShape), policy: Type.Optional(policyShape) }),
    answers: { 200: { schema: storedPolicyShape, description: 'The changed policy', etag: true } },
    locate: async ({ params, body }, account) => {
      const faults = faultsIn('body', body);
      if (faults.length > 0) throw invalidInput(faults);
      return policies.locate(account, params.policyId);
    },
    handle: async ({ account, resource, body, caller, requestId, headers }) => {
      const by = { caller, requestId };
      const row = await policies.update(resource, body, single(headers['if-match']), by);
      return answered(row, await policies.groupNames(account));
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

/** Answers a change with what is doubtful about it. */
function answered(row: Pick<PoliciesTable, 'id' | 'name' | 'document'>, groups: GroupNames): Answer {
  const view = viewOfPolicy(row, groups);
  return new Answer(200, { ...view, warnings: warningsOf(view.policy, groups) }, { etag: etagOf(row) });
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
