import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import {
  newPasswordShape,
  passwordFault,
  passwordLengthMin,
  repeatedShape,
} from '../sign-in/passwords/index.ts';
import { page, pageAnswers, problemPage, text, withPage } from './page.ts';
import { alert, passwordFields, tokenShape } from './password-form.ts';
import type { Passwords } from './passwords.ts';

const path = '/v1/set-up/password';
const tag = 'Set-up';
/** Path of the sign-in without an application. */
export const signInPath = '/v1/oauth/sign-in';

/**
 * Routes of /v1/set-up/password: the target of one-time links. `deviceCookie`: the header that marks the user's browser as
 * known. Failed attempts of strangers no longer delay its sign-in.
 */
export function setUpRoutes(passwords: Passwords, deviceCookie: (userId: string) => string): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operation: 'setup.password',
      tag,
      problemPage,
      summary: 'Show the page of a one-time link that sets a password',
      query: Type.Object({ token: Type.Optional(tokenShape) }),
      answers: pageAnswers,
      handle: ({ query }) =>
        withPage(async () => form(await passwords.emailOf(query.token ?? ''), query.token ?? '')),
    }),
    route({
      method: 'POST',
      path,
      operation: 'setup.password',
      tag,
      problemPage,
      summary: 'Set the password; the link is used up',
      formBody: true,
      body: Type.Object({
        token: tokenShape,
        password: newPasswordShape,
        repeated: repeatedShape,
      }),
      answers: pageAnswers,
      handle: ({ body, requestId }) =>
        withPage(async () => {
          const email = await passwords.emailOf(body.token);
          const fault = passwordFault(body.password, body.repeated, email);
          if (fault) return form(email, body.token, fault);
          const userId = await passwords.set(body.token, body.password, requestId);
          return page(
            200,
            'Your password is set',
            `<p>The link is no longer valid.</p>
<a class="button" href="${signInPath}">Sign in</a>`,
            { headers: { 'set-cookie': deviceCookie(userId) } },
          );
        }),
    }),
  ];
}

function form(email: string, token: string, fault?: string): Answer {
  return page(
    fault ? 400 : 200,
    'Choose a password',
    `<p>For ${text(email)}. At least ${passwordLengthMin} characters.</p>${alert(fault)}
<form method="post" action="${path}">
<input type="hidden" name="token" value="${text(token)}">
${passwordFields(email, fault)}
<button>Set password</button>
</form>`,
  );
}
