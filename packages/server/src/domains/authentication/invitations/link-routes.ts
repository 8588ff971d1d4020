import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import {
  alert,
  page,
  pageAnswers,
  passwordFields,
  problemPage,
  signInPath,
  text,
  tokenShape,
  withPage,
} from '../setup/index.ts';
import {
  newPasswordShape,
  passwordFault,
  passwordLengthMin,
  repeatedShape,
} from '../sign-in/passwords/index.ts';
import { inviterOutside } from './invitation.ts';
import { linkPath } from './invitation-email.ts';
import type { InvitationLinks, LinkedInvitation } from './links.ts';

const tag = 'Invitations';

/** Routes of /v1/set-up/invitation: the target of links in mails. */
export function invitationLinkRoutes(links: InvitationLinks): Route[] {
  return [
    route({
      method: 'GET',
      path: linkPath,
      operation: 'invitations.link',
      tag,
      problemPage,
      summary: 'Show the page to accept or reject an invitation; opening it changes nothing',
      query: Type.Object({ token: Type.Optional(tokenShape) }),
      answers: pageAnswers,
      handle: ({ query: { token = '' } }) => withPage(async () => form(await links.find(token), token)),
    }),
    route({
      method: 'POST',
      path: linkPath,
      operation: 'invitations.link',
      tag,
      problemPage,
      summary: 'Accept or reject an invitation; the link is used up',
      formBody: true,
      body: Type.Object({
        token: tokenShape,
        answer: Type.Union([Type.Literal('accept'), Type.Literal('reject')], {
          description: 'Answer to the invitation',
        }),
        password: Type.Optional(newPasswordShape),
        repeated: Type.Optional(repeatedShape),
      }),
      answers: pageAnswers,
      handle: ({ body: { token, answer, password = '', repeated = '' }, requestId }) =>
        withPage(async () => {
          const found = await links.find(token);
          const accept = answer === 'accept';
          const { email } = found.invitation;
          const fault = accept && !found.hasUser ? passwordFault(password, repeated, email) : undefined;
          if (fault) return form(found, token, fault);
          await links.answer(token, { accept, password, requestId });
          return accept ? accepted(found) : rejected(found);
        }),
    }),
  ];
}

function form({ invitation, hasUser }: LinkedInvitation, token: string, fault?: string): Answer {
  const { email, groupName, accountName } = invitation;
  const inviter = inviterOutside(invitation);
  const who = inviter === null ? 'You are invited' : `${text(inviter)} invites you`;
  const password = hasUser
    ? ''
    : `<p>To join, choose a password of at least ${passwordLengthMin} characters.</p>\n${passwordFields(email, fault)}`;
  return page(
    fault ? 400 : 200,
    'Your invitation',
    `<p>${who} to join <strong>${text(groupName)}</strong> of <strong>${text(accountName)}</strong>.</p>
<p>For ${text(email)}.</p>${alert(fault)}
<form method="post" action="${linkPath}">
<input type="hidden" name="token" value="${text(token)}">
${password}
<button name="answer" value="accept">Accept</button>
<button name="answer" value="reject" class="plain" formnovalidate>Reject</button>
</form>`,
  );
}

function accepted({ invitation, hasUser }: LinkedInvitation): Answer {
  const { groupName, accountName } = invitation;
  const password = hasUser ? '' : ' Your password is set.';
  return page(
    200,
    'Welcome',
    `<p>You have joined <strong>${text(groupName)}</strong> of <strong>${text(accountName)}</strong>.${password}</p>
<p>The link is no longer valid.</p>
<a class="button" href="${signInPath}">Sign in</a>`,
  );
}

function rejected({ invitation }: LinkedInvitation): Answer {
  return page(
    200,
    'Invitation rejected',
    `<p>You have not joined ${text(invitation.accountName)}. Nothing else happens, and the link is no longer valid.</p>`,
  );
}
