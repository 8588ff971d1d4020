import type { Caller } from '../../access/caller.ts';
import type { OperationName } from '../../access/operations.ts';
import { emailKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { notFound, Problem } from '../../problem.ts';
import { type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam, textShape } from '../../shapes.ts';
import type { findGroupById, Group } from '../groups/index.ts';
import { attributesOf, type Invitation, invitationShape, viewOf } from './invitation.ts';
import type { Invitations } from './invitations.ts';
import type { InvitationList } from './store.ts';

const tag = 'Invitations';
const path = '/v1/invitations';

/** One address as HTML forms know it, in ASCII: it cannot hold a second one, a comment or a line end. */
const emailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

const listQuery = Type.Object({
  user: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'You (id or e-mail address): what you received',
    }),
  ),
  account: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'What you sent for its groups; with `user`, what you received from it',
    }),
  ),
  sender: Type.Optional(
    Type.Union([Type.Literal('me'), Type.Literal('anyone')], {
      description: 'With `account`: `anyone` shows all that you may administer, whoever sent them',
    }),
  ),
  ...pageQuery,
});

export interface InvitationRouteParts {
  invitations: Invitations;
  findGroup: (id: string) => ReturnType<typeof findGroupById>;
  pages: Pages;
}

/** /v1/invitations */
export function invitationRoutes(parts: InvitationRouteParts): Route[] {
  return [listRoute(parts), createRoute(parts), readRoute(parts), changeRoute(parts), resendRoute(parts)];
}

function listRoute({ invitations, pages }: InvitationRouteParts): Route {
  return route({
    method: 'GET',
    path,
    operation: 'invitations.list',
    tag,
    summary: 'Invitations that you received or sent, newest first',
    query: listQuery,
    answers: { 200: { schema: pageOf(invitationShape), description: 'Newest first' } },
    handle: async ({ query, caller }) => {
      const wanted = listOf(query, caller);
      const scope = `invitations:${wanted.which}:${wanted.account}:${caller.userId}`;
      const page = pages.read(query, scope);
      const rows = await invitations.list(caller, wanted, page);
      return pages.answer(
        rows,
        page,
        { path, query, scope },
        ({ id }) => [id],
        (one) => viewOf(one, caller),
      );
    },
  });
}

/** `user` is received, `account` is sent, neither is received. */
function listOf(
  { user, account, sender }: { user?: string; account?: string; sender?: string },
  caller: Caller,
): InvitationList {
  if (user !== undefined && ![caller.userId, emailKey(caller.email)].includes(emailKey(user))) {
    throw new Problem(403, 'FORBIDDEN', 'You can list only the invitations that you received yourself.');
  }
  if (user !== undefined || account === undefined) return { which: 'received', account: account ?? '' };
  if (!caller.isMember(account)) throw notFound();
  return { which: sender === 'anyone' ? 'all' : 'sent', account };
}

function createRoute({ invitations, findGroup }: InvitationRouteParts): Route {
  return route({
    method: 'POST',
    path,
    operation: 'invitations.create',
    tag,
    summary: 'Invite somebody into a group, by e-mail',
    description: 'He gets a mail with a link. Whoever has no user yet chooses a password there.',
    body: Type.Object({
      group: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the group' }),
      email: textShape({
        maxLength: 254,
        description: 'One e-mail address (https://html.spec.whatwg.org/#valid-e-mail-address)',
        mistakeIn: (email) =>
          emailAddress.test(email) ? undefined : 'must be one e-mail address, such as jane@example.org',
      }),
    }),
    answers: { 200: { schema: invitationShape, description: 'The invitation; its mail is on its way' } },
    locate: async ({ body }) => {
      const record = await findGroup(body.group);
      return record && { attributes: { account: record.account, type: 'group', id: record.id }, record };
    },
    handle: async ({ resource, body, caller, requestId }: CreateContext) =>
      viewOf(await invitations.create(resource, body.email, { caller, requestId }), caller),
  });
}

interface CreateContext {
  resource: Group;
  body: { group: string; email: string };
  caller: Caller;
  requestId: string;
}

function readRoute({ invitations }: InvitationRouteParts): Route {
  return route({
    method: 'GET',
    path: `${path}/:id`,
    operation: 'invitations.read',
    tag,
    summary: 'One invitation',
    params: idParam,
    answers: { 200: { schema: invitationShape, description: 'The invitation' } },
    locate: async ({ params }, _account, caller) => {
      const found = await invitations.find(params.id);
      const sent = found?.inviterId === caller.userId && caller.isMember(found.account);
      return located(
        found,
        found && (sent || invitations.isInvitee(found, caller)) ? 'invitations.readOwn' : undefined,
      );
    },
    handle: async ({ resource, caller }) => viewOf(resource, caller),
  });
}

function changeRoute({ invitations }: InvitationRouteParts): Route {
  return route({
    method: 'PATCH',
    path: `${path}/:id`,
    operation: 'invitations.revoke',
    tag,
    summary: 'Accept, reject or revoke an invitation',
    description: 'Accepting and rejecting is for the invited person alone; revoking needs accessAdmin.',
    params: idParam,
    body: Type.Object({
      status: Type.Union([Type.Literal('ACCEPTED'), Type.Literal('REJECTED'), Type.Literal('REVOKED')]),
    }),
    answers: { 200: { schema: invitationShape, description: 'The invitation as it is now' } },
    locate: async ({ params }, _account, caller) => {
      const found = await invitations.find(params.id);
      return located(found, found && invitations.isInvitee(found, caller) ? 'invitations.answer' : undefined);
    },
    handle: async ({ resource, body, caller, requestId }) =>
      viewOf(await invitations.change(resource, body.status, { caller, requestId }), caller),
  });
}

function resendRoute({ invitations }: InvitationRouteParts): Route {
  return route({
    method: 'POST',
    path: `${path}/:id/resend`,
    operation: 'invitations.resend',
    tag,
    summary: 'Send the mail of an invitation again',
    description:
      'With a new link and new time; the old link does not work any more. Also for one that has expired.',
    params: idParam,
    answers: { 200: { schema: invitationShape, description: 'The invitation; its mail is on its way' } },
    locate: async ({ params }) => located(await invitations.find(params.id)),
    handle: async ({ resource, caller, requestId }) =>
      viewOf(await invitations.resend(resource, { caller, requestId }), caller),
  });
}

/** An invitation for the gate. `own` decides for those to whom it belongs, wherever its account is. */
function located(record: Invitation | undefined, own?: OperationName): Located<Invitation> | undefined {
  if (!record) return undefined;
  return { attributes: attributesOf(record), record, ...(own && { operation: own }) };
}
