import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { type OperationName, privileges } from '../../../access/operations.ts';
import { resourceTypes } from '../../../access/resource.ts';
import { type Located, type Route, route } from '../../../api/route.ts';
import { optionalText, textOf } from '../../../api/shapes.ts';
import { emailKey } from '../../../base/names.ts';
import { accountHeaderRequired, invalidInput, type ProblemDetail } from '../../../base/problem.ts';
import type { ProposedChange } from './changes.ts';
import type { Evaluation } from './evaluation.ts';
import type { Previews } from './preview.ts';
import { faultsIn, policyNameShape, policyShape, warningFields, warningsShape } from './shapes.ts';

const tag = 'Policies';

const userShape = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 320,
    description: 'Id or e-mail address of another member; needs accessAdmin',
  }),
);

/** Another name is answered with a warning. */
const privilegeShape = Type.Unsafe<string>({
  'x-described': {
    title: 'Privilege',
    type: 'string',
    enum: [...privileges],
    description: 'Name of the privilege, such as `readData`',
  },
  type: 'string',
  minLength: 1,
  maxLength: 128,
});

const resourceTypeShape = {
  title: 'ResourceType',
  type: 'string',
  enum: [...resourceTypes],
  description: 'Type of the resource, such as `file`',
};

/** Attributes of other names or types are answered with a warning. */
const resourceShape = Type.Unsafe<Record<string, unknown>>({
  'x-described': {
    type: 'object',
    description: 'Attributes of the resource. `account` is the named account',
    additionalProperties: true,
    properties: {
      dataset: { type: 'string', description: 'Id of its project' },
      type: resourceTypeShape,
      id: { type: 'string', description: 'Id of the resource' },
      ownerId: { type: 'string', description: 'Id of the user who created it' },
      subject: { type: 'string', description: 'Id of its patient; rows have one' },
    },
  },
  type: 'object',
  additionalProperties: true,
});

const grantShape = Type.Unknown({ description: '`false`, `true`, or the rules one of which must hold' });

const previewShape = Type.Object({
  users: Type.Integer({ description: 'Members of the account' }),
  examined: Type.Integer({
    description: 'Members that were compared: all, unless policies and account are huge',
  }),
  affected: Type.Integer({ description: 'Members whose rights would change' }),
  complete: Type.Boolean({
    description: 'True when all users were examined, and `items` holds all that are affected',
  }),
  items: Type.Array(
    Type.Object({
      user: Type.Object(
        { id: textOf('Id of the user'), email: textOf('E-mail address') },
        { description: 'Member whose rights would change' },
      ),
      owner: Type.Boolean({ description: 'True for the owner of the account' }),
      privileges: Type.Array(
        Type.Object({
          privilege: textOf('Name of the privilege'),
          change: Type.String({
            enum: ['gained', 'widened', 'changed', 'narrowed', 'lost'],
            description: 'Direction of the change',
          }),
          before: grantShape,
          after: grantShape,
        }),
        { description: 'Privileges that would change' },
      ),
    }),
    { description: 'Members whose rights would change' },
  ),
  warnings: Type.Array(Type.Object({ ...warningFields, path: optionalText('Place in a proposed policy') }), {
    description: 'Doubts about the changes',
  }),
});

const changeShape = Type.Object(
  {
    create: Type.Optional(
      Type.Object({ name: policyNameShape, policy: policyShape }, { description: 'Policy to create' }),
    ),
    replace: Type.Optional(
      Type.Object(
        {
          policyId: Type.String({ minLength: 1, maxLength: 255, description: 'Id or name' }),
          name: Type.Optional(policyNameShape),
          policy: Type.Optional(policyShape),
        },
        { description: 'Policy to rename, or to give other rules' },
      ),
    ),
    delete: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or name' })),
  },
  { description: 'Exactly one of the three' },
);

/** Routes of /v1/evaluated-policy, /v1/policies/explain and /v1/policies/preview. */
export function evaluationRoutes(evaluation: Evaluation, previews: Previews): Route[] {
  return [evaluatedRoute(evaluation), explainRoute(evaluation), previewRoute(previews)];
}

/** Locates another member for a route about the caller: that needs a privilege in the account. */
function locateMember(
  account: string,
  caller: Caller,
  user: string | undefined,
  operation: OperationName,
): Located<string | undefined> {
  const attributes = { account, type: 'policy' as const };
  const self = user === undefined || user === caller.userId || emailKey(user) === caller.email;
  return self ? { attributes, record: undefined } : { attributes, record: user, operation };
}

function evaluatedRoute(evaluation: Evaluation): Route {
  return route({
    method: 'GET',
    path: '/v1/evaluated-policy',
    operation: 'policies.evaluate',
    tag,
    summary: 'Get your reduced policy',
    description:
      'All policies of the named account, or of all your accounts, merged and reduced by your attributes.',
    accountHeader: 'optional',
    query: Type.Object({ user: userShape }),
    answers: { 200: { schema: policyShape, description: 'A policy about `resource.*` only' } },
    locate: async ({ query }, named, caller) => {
      const account = named || (caller.keyAccount ?? '');
      const located = locateMember(account, caller, query.user, 'policies.evaluateOthers');
      if (located.record !== undefined && account === '') throw accountHeaderRequired();
      return located;
    },
    handle: async ({ account, caller, resource }) =>
      resource === undefined
        ? evaluation.ofCaller(caller, account)
        : evaluation.ofMember(account || (caller.keyAccount ?? ''), resource),
  });
}

function explainRoute(evaluation: Evaluation): Route {
  return route({
    method: 'POST',
    path: '/v1/policies/explain',
    onlyReads: true,
    operation: 'policies.explain',
    conflicts: ['SEVERAL_USERS'],
    tag,
    summary: 'Explain why a user may perform an operation, or may not',
    description:
      'Explains your own access, or with accessAdmin that of another member. Without accessAdmin only rules that concern you are shown.',
    accountHeader: true,
    body: Type.Object({
      user: userShape,
      privilege: privilegeShape,
      resource: Type.Optional(resourceShape),
    }),
    answers: {
      200: {
        schema: Type.Object({
          allowed: Type.Boolean({ description: 'True if the policies allow it' }),
          because: Type.Array(Type.String(), {
            description: 'The rule that allows it, or the missing condition of each rule',
          }),
          warnings: warningsShape,
        }),
        description: 'The decision and its reasons',
      },
    },
    locate: async ({ body }, account, caller) => {
      const given = body.resource?.['account'];
      if (given !== undefined && given !== account) {
        throw invalidInput([
          { path: 'body/resource/account', message: 'is another account than the one named by the header' },
        ]);
      }
      return locateMember(account, caller, body.user, 'policies.explainOthers');
    },
    handle: async ({ account, body, caller, resource }) => {
      const question = { privilege: body.privilege, resource: body.resource ?? {} };
      const whole = caller.may('policies.list', { account, type: 'policy' });
      return evaluation.explain(account, resource ?? caller.userId, question, whole);
    },
  });
}

function previewRoute(previews: Previews): Route {
  return route({
    method: 'POST',
    path: '/v1/policies/preview',
    onlyReads: true,
    operation: 'policies.preview',
    conflicts: ['POLICY_EXISTS'],
    tag,
    summary: 'Preview whose rights changes of policies would change',
    description:
      'Changes are applied in order; nothing is stored. At most 1000 members are listed: see `complete`.',
    accountHeader: true,
    body: Type.Object({
      changes: Type.Array(changeShape, {
        minItems: 1,
        maxItems: 50,
        description: 'Changes, applied in this order',
      }),
    }),
    answers: { 200: { schema: previewShape, description: 'Changes by user' } },
    locate: async ({ body }, account) => {
      const faults = body.changes.flatMap((change, at) => faultsOfChange(change, `body/changes/${at}`));
      if (faults.length > 0) throw invalidInput(faults);
      return { attributes: { account, type: 'policy' }, record: undefined };
    },
    handle: async ({ account, body, caller, signal }) =>
      previews.run(account, body.changes, caller.userId, signal),
  });
}

function faultsOfChange({ create, replace, delete: deleted }: ProposedChange, path: string): ProblemDetail[] {
  const given = [create, replace, deleted].filter((one) => one !== undefined);
  if (given.length !== 1) return [{ path, message: 'must be exactly one of create, replace and delete' }];
  return [
    ...(create ? faultsIn(`${path}/create`, create) : []),
    ...(replace ? faultsIn(`${path}/replace`, replace) : []),
  ];
}
