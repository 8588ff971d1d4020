import type { Caller } from '../../access/caller.ts';
import type { OperationName } from '../../access/operations.ts';
import { emailKey } from '../../names.ts';
import { accountHeaderRequired, invalidInput, type ProblemDetail } from '../../problem.ts';
import { type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import type { ProposedChange } from './changes.ts';
import type { Evaluation } from './evaluation.ts';
import type { Previews } from './preview.ts';
import { mistakesIn, policyNameShape, policyShape } from './shapes.ts';

const tag = 'Policies';

const userShape = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 320,
    description: 'Id or e-mail address of another member; needs accessAdmin',
  }),
);

const grantShape = Type.Unknown({ description: '`false`, `true`, or the rules one of which must hold' });

const previewShape = Type.Object({
  users: Type.Integer({ description: 'Members of the account' }),
  examined: Type.Integer({
    description: 'Members that were compared: all, unless policies and account are huge',
  }),
  affected: Type.Integer({ description: 'Members whose rights would change' }),
  complete: Type.Boolean({
    description: 'Whether all were examined, and all that are affected are in `items`',
  }),
  items: Type.Array(
    Type.Object({
      user: Type.Object({ id: Type.String(), email: Type.String() }),
      owner: Type.Boolean(),
      privileges: Type.Array(
        Type.Object({
          privilege: Type.String(),
          change: Type.String({ enum: ['gained', 'widened', 'changed', 'narrowed', 'lost'] }),
          before: grantShape,
          after: grantShape,
        }),
      ),
    }),
  ),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});

const changeShape = Type.Object(
  {
    create: Type.Optional(Type.Object({ name: policyNameShape, policy: policyShape })),
    replace: Type.Optional(
      Type.Object({
        policyId: Type.String({ minLength: 1, maxLength: 255, description: 'Id or name' }),
        name: Type.Optional(policyNameShape),
        policy: Type.Optional(policyShape),
      }),
    ),
    delete: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or name' })),
  },
  { description: 'Exactly one of the three' },
);

/** /v1/evaluated-policy, /v1/policies/explain and /v1/policies/preview. */
export function evaluationRoutes(evaluation: Evaluation, previews: Previews): Route[] {
  return [evaluatedRoute(evaluation), explainRoute(evaluation), previewRoute(previews)];
}

/** Where a route for oneself is asked about another member: that needs a privilege in the account. */
function locateMember(
  account: string,
  caller: Caller,
  user: string | undefined,
  operation: OperationName,
): Located<string | undefined> {
  const attributes = { account, type: 'account' as const, id: account };
  const self = user === undefined || user === caller.userId || emailKey(user) === caller.email;
  return self ? { attributes, record: undefined } : { attributes, record: user, operation };
}

function evaluatedRoute(evaluation: Evaluation): Route {
  return route({
    method: 'GET',
    path: '/v1/evaluated-policy',
    operation: 'policies.evaluate',
    tag,
    summary: 'What the policies leave for you',
    description:
      'All policies of the named account, or of all your accounts, merged and reduced with what is known of you.',
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
    tag,
    summary: 'Why somebody may do something, or may not',
    description:
      'Of yourself, or with accessAdmin of another member. Without accessAdmin you are told only of rules that concern you.',
    accountHeader: true,
    body: Type.Object({
      user: userShape,
      privilege: Type.String({ minLength: 1, maxLength: 128 }),
      resource: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description:
            'What it is about: `dataset`, `type`, `id`, `ownerId`, of rows `subject`. `account` is the named one',
        }),
      ),
    }),
    answers: {
      200: {
        schema: Type.Object({
          allowed: Type.Boolean(),
          because: Type.Array(Type.String(), { description: 'What allows it, or what each rule misses' }),
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
      const whole = caller.may('policies.list', { account, type: 'account', id: account });
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
    tag,
    summary: 'A dry run: whose rights would these changes of policies change?',
    description:
      'Changes are applied one after the other; nothing is stored. At most 1000 members are listed: see `complete`.',
    accountHeader: true,
    body: Type.Object({ changes: Type.Array(changeShape, { minItems: 1, maxItems: 50 }) }),
    answers: { 200: { schema: previewShape, description: 'What would change, for whom' } },
    locate: async ({ body }, account) => {
      const mistakes = body.changes.flatMap((change, at) => mistakesOfChange(change, `body/changes/${at}`));
      if (mistakes.length > 0) throw invalidInput(mistakes);
      return { attributes: { account, type: 'account', id: account }, record: undefined };
    },
    handle: async ({ account, body, caller, signal }) =>
      previews.run(account, body.changes, caller.userId, signal),
  });
}

function mistakesOfChange(
  { create, replace, delete: deleted }: ProposedChange,
  path: string,
): ProblemDetail[] {
  const given = [create, replace, deleted].filter((one) => one !== undefined);
  if (given.length !== 1) return [{ path, message: 'must be exactly one of create, replace and delete' }];
  return [
    ...(create ? mistakesIn(`${path}/create`, create) : []),
    ...(replace ? mistakesIn(`${path}/replace`, replace) : []),
  ];
}
