import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { OperationName } from '../../../access/operations.ts';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Located, type Route, route } from '../../../api/route.ts';
import { idParam, textShape } from '../../../api/shapes.ts';
import { emailKey } from '../../../base/names.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { findGroupById, Group } from '../../identity/groups/index.ts';
import { attributesOf, endedCodes, type Invitation, invitationShape, viewOf } from './invitation.ts';
import type { Invitations } from './invitations.ts';
import type { InvitationList } from './store.ts';

const tag = 'Invitations';
const path = '/v1/invitations';

/** One address as in HTML forms, in ASCII: it cannot contain a second one, a comment or a line end. */
const emailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

const listQuery = Type.Object({
  user: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Your id or e-mail address: invitations that you received',
    }),
  ),
  account: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Invitations sent for the account's groups; with `user`, invitations received from it",
    }),
  ),
  sender: Type.Optional(
    Type.Union([Type.Literal('me'), Type.Literal('anyone')], {
      description: 'With `account`: `anyone` lists all invitations that you may administer, from any sender',
    }),
  ),
  ...pageQuery,
});

interface InvitationRouteDeps {
  invitations: Invitations;
  /** Returns the link of a new mail, for a caller who may pass it on. */
  linkFor: (invitation: Invitation, caller: Caller) => Promise<string | undefined>;
  findGroup: (id: string) => ReturnType<typeof findGroupById>;
  pages: Pages;
}

/** Routes of /v1/invitations. */
export function invitationRoutes(deps: InvitationRouteDeps): Route[] {
  return [listRoute(deps), createRoute(deps), readRoute(deps), changeRoute(deps), resendRoute(deps)];
}

function listRoute({ invitations, pages }: InvitationRouteDeps): Route {
  return route({
    method: 'GET',
    path,
    operation: 'invitations.list',
    tag,
    summary: 'List the invitations that you received or sent, newest first',
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

/** Chooses the list: `user` or nothing is received, `account` is sent. */
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

function createRoute({ invitations, findGroup, linkFor }: InvitationRouteDeps): Route {
  return route({
    method: 'POST',
    path,
    operation: 'invitations.create',
    conflicts: ['INVITATION_EXISTS', 'ALREADY_MEMBER'],
    tag,
    summary: 'Invite a person into a group by e-mail',
    description: 'Sends a mail with a link. A recipient without a user chooses a password there.',
    body: Type.Object({
      group: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the group' }),
      email: textShape({
        maxLength: 254,
        description: 'One e-mail address (https://html.spec.whatwg.org/#valid-e-mail-address)',
        faultIn: (email) =>
          emailAddress.test(email) ? undefined : 'must be one e-mail address, such as jane@example.org',
      }),
    }),
    answers: { 200: { schema: invitationShape, description: 'The invitation; its mail is on its way' } },
    locate: async ({ body }) => {
      const record = await findGroup(body.group);
      return record && { attributes: { account: record.account, type: 'group', id: record.id }, record };
    },
    handle: async ({ resource, body, caller, requestId }: CreateContext) => {
      const made = await invitations.create(resource, body.email, { caller, requestId });
      return withLink(made, caller, linkFor);
    },
  });
}

interface CreateContext {
  resource: Group;
  body: { group: string; email: string };
  caller: Caller;
  requestId: string;
}

function readRoute({ invitations }: InvitationRouteDeps): Route {
  return route({
    method: 'GET',
    path: `${path}/:id`,
    operation: 'invitations.read',
    tag,
    summary: 'Get an invitation',
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

function changeRoute({ invitations }: InvitationRouteDeps): Route {
  return route({
    method: 'PATCH',
    path: `${path}/:id`,
    operation: 'invitations.revoke',
    conflicts: endedCodes,
    tag,
    summary: 'Accept, reject or revoke an invitation',
    description: 'Only the invited person accepts or rejects; revoking needs accessAdmin.',
    params: idParam,
    body: Type.Object({
      status: Type.Union([Type.Literal('ACCEPTED'), Type.Literal('REJECTED'), Type.Literal('REVOKED')], {
        description: 'New status of the invitation',
      }),
    }),
    answers: { 200: { schema: invitationShape, description: 'The changed invitation' } },
    locate: async ({ params }, _account, caller) => {
      const found = await invitations.find(params.id);
      return located(found, found && invitations.isInvitee(found, caller) ? 'invitations.answer' : undefined);
    },
    handle: async ({ resource, body, caller, requestId }) =>
      viewOf(await invitations.change(resource, body.status, { caller, requestId }), caller),
  });
}

function resendRoute({ invitations, linkFor }: InvitationRouteDeps): Route {
  return route({
    method: 'POST',
    path: `${path}/:id/resend`,
    operation: 'invitations.resend',
    conflicts: [...endedCodes, 'ALREADY_MEMBER'],
    tag,
    summary: 'Send the mail of an invitation again',
    description: 'With a new link and expiry; the old link is void. Also for an expired invitation.',
    params: idParam,
    answers: { 200: { schema: invitationShape, description: 'The invitation; its mail is on its way' } },
    locate: async ({ params }) => located(await invitations.find(params.id)),
    handle: async ({ resource, caller, requestId }) =>
      withLink(await invitations.resend(resource, { caller, requestId }), caller, linkFor),
  });
}

async function withLink(
  invitation: Invitation,
  caller: Caller,
  linkFor: InvitationRouteDeps['linkFor'],
): Promise<ReturnType<typeof viewOf>> {
  const link = await linkFor(invitation, caller);
  return { ...viewOf(invitation, caller), ...(link !== undefined && { link }) };
}

/** Locates an invitation for the gate. `own` permits its inviter and invitee in any account. */
function located(record: Invitation | undefined, own?: OperationName): Located<Invitation> | undefined {
  if (!record) return undefined;
  return { attributes: attributesOf(record), record, ...(own && { operation: own }) };
}
