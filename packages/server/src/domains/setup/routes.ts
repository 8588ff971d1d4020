import { Type } from 'typebox';
import { Problem } from '../../problem.ts';
import { type Answer, type Route, route } from '../../route.ts';
import { page, text } from './page.ts';
import { type Passwords, passwordLengthMax, passwordLengthMin } from './passwords.ts';

const path = '/v1/set-up/password';
const tag = 'Set-up';
const answers = { 200: { schema: Type.String(), description: 'A page', contentType: 'text/html' } };

/** /v1/set-up/password: where a one-time link leads. */
export function setUpRoutes(passwords: Passwords): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operation: 'setup.password',
      tag,
      summary: 'The page that sets a first password',
      query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) }),
      answers,
      handle: ({ query }) =>
        withPage(async () => form(await passwords.whose(query.token ?? ''), query.token ?? '')),
    }),
    route({
      method: 'POST',
      path,
      operation: 'setup.password',
      tag,
      summary: 'Set the password; the link is used up',
      formBody: true,
      body: Type.Object({
        token: Type.String({ maxLength: 200 }),
        password: Type.String({ maxLength: 4096 }),
        repeated: Type.String({ maxLength: 4096 }),
      }),
      answers,
      handle: ({ body, requestId }) =>
        withPage(async () => {
          const email = await passwords.whose(body.token);
          const mistake = mistakeIn(body.password, body.repeated);
          if (mistake) return form(email, body.token, mistake);
          await passwords.set(body.token, body.password, requestId);
          return page(
            200,
            'Your password is set',
            '<p>You can close this page. The link does not work any more.</p>',
          );
        }),
    }),
  ];
}

function mistakeIn(password: string, repeated: string): string | undefined {
  if (password !== repeated) return 'The two passwords differ.';
  if ([...password].length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  return password.length > passwordLengthMax ? `Use at most ${passwordLengthMax} characters.` : undefined;
}

/** People who follow a link get a page also when something is wrong. */
async function withPage(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return page(error.status, 'This did not work', `<p role="alert">${text(error.message)}</p>`);
  }
}

function form(email: string, token: string, mistake?: string): Answer {
  const alert = mistake ? `<p role="alert">${text(mistake)}</p>` : '';
  return page(
    mistake ? 400 : 200,
    'Choose a password',
    `<p>For ${text(email)}. At least ${passwordLengthMin} characters.</p>${alert}
<form method="post" action="${path}">
<input type="hidden" name="token" value="${text(token)}">
<input type="hidden" name="username" value="${text(email)}" autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus>
<label for="repeated">Once more</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required>
<button>Set password</button>
</form>`,
  );
}
