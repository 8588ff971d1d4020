import { type Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { passwordLengthMin, passwordMistake, passwordShape } from '../passwords/index.ts';
import { page, pageAnswers, problemPage, text, withPage } from './page.ts';
import { alert, passwordFields, tokenShape } from './password-form.ts';
import type { Passwords } from './passwords.ts';

const path = '/v1/set-up/password';
const tag = 'Set-up';
/** Where people sign in without an application. */
export const signInPath = '/v1/oauth/sign-in';

/**
 * /v1/set-up/password: where a one-time link leads. `deviceCookie`: the header by which the browser is known when its user signs in,
 * so that strangers who guess at his password cannot keep him out any longer.
 */
export function setUpRoutes(passwords: Passwords, deviceCookie: (userId: string) => string): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operation: 'setup.password',
      tag,
      problemPage,
      summary: 'The page that sets a password, where a one-time link leads',
      query: Type.Object({ token: Type.Optional(tokenShape) }),
      answers: pageAnswers,
      handle: ({ query }) =>
        withPage(async () => form(await passwords.whose(query.token ?? ''), query.token ?? '')),
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
        password: passwordShape,
        repeated: passwordShape,
      }),
      answers: pageAnswers,
      handle: ({ body, requestId }) =>
        withPage(async () => {
          const email = await passwords.whose(body.token);
          const mistake = passwordMistake(body.password, body.repeated);
          if (mistake) return form(email, body.token, mistake);
          const userId = await passwords.set(body.token, body.password, requestId);
          return page(
            200,
            'Your password is set',
            `<p>The link does not work any more.</p>
<a class="button" href="${signInPath}">Sign in</a>`,
            { headers: { 'set-cookie': deviceCookie(userId) } },
          );
        }),
    }),
  ];
}

function form(email: string, token: string, mistake?: string): Answer {
  return page(
    mistake ? 400 : 200,
    'Choose a password',
    `<p>For ${text(email)}. At least ${passwordLengthMin} characters.</p>${alert(mistake)}
<form method="post" action="${path}">
<input type="hidden" name="token" value="${text(token)}">
${passwordFields(email, mistake)}
<button>Set password</button>
</form>`,
  );
}
