import { Problem } from '../../problem.ts';
import type { Answer, Route, RouteContext } from '../../route.ts';
import { route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { redirectTo } from '../oauth/index.ts';
import { passwordMistake, passwordShape } from '../passwords/index.ts';
import { page, pageAnswers, signInPath } from '../setup/index.ts';
import { patienceOrProblem } from '../sign-in/index.ts';
import type { PageParts } from './enrolment-routes.ts';
import { codesPage, done, overviewPage, passwordPage, paths, presentPasswordPage } from './pages.ts';
import { byOf } from './routes.ts';
import { idOf } from './security.ts';

type Context = RouteContext<unknown, unknown, unknown, unknown>;

/** What every page of this domain shares. */
export const commonOfPages = {
  tag: 'Sign-in',
  credentials: ['sessionCookie'],
  problemPage: signInOrProblem,
  answers: { ...pageAnswers, 302: { description: 'Done: back to the page' } },
} as const;

export const proofShape = Type.String({ maxLength: 100 });

/** /v1/security: the pages on which people look after their own sign-in. They work without a script. */
export function securityPages(parts: PageParts): Route[] {
  const { security, sessions } = parts;
  return [
    route({
      ...commonOfPages,
      method: 'GET',
      path: paths.overview,
      operation: 'security.read',
      summary: 'How you sign in, and where you are signed in',
      query: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }),
      handle: async (context) => {
        const { caller } = browserOf(parts, context);
        const own = idOf(caller.via, 'session');
        const [state, list] = await Promise.all([security.state(caller), sessions.list(caller.userId)]);
        return overviewPage({
          ...state,
          email: caller.email,
          proof: proofOf(parts, context),
          sessions: list.map((one) => ({ ...one, current: one.id === own })),
          message: Object.hasOwn(done, context.query.done ?? '') ? done[context.query.done ?? ''] : undefined,
        });
      },
    }),
    route({
      ...commonOfPages,
      method: 'POST',
      path: paths.password,
      operation: 'security.update',
      summary: 'Change your password, from the page',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        present: passwordShape,
        password: passwordShape,
        repeated: passwordShape,
      }),
      handle: async (context) => {
        const by = browserOf(parts, context);
        const { present, password, repeated, proof } = context.body;
        const again = (mistake: string) => passwordPage(by.caller.email, proofOf(parts, context), mistake);
        const mistake = mistakeIn(parts, context, proof) ?? passwordMistake(password, repeated);
        if (mistake) return again(mistake);
        return orAgain(again, async () => {
          await security.changePassword(present, password, by);
          return redirectTo(`${paths.overview}?done=password`);
        });
      },
    }),
    ...passwordAgain(parts, paths.remove, 'Turn off the second step', 'Turn off', async (present, by) => {
      await security.turnOff(present, by);
      return redirectTo(`${paths.overview}?done=off`);
    }),
    ...passwordAgain(parts, paths.codes, 'New recovery codes', 'Make new codes', async (present, by) =>
      codesPage(await security.renewCodes(present, by)),
    ),
    route({
      ...commonOfPages,
      method: 'POST',
      path: paths.sessions,
      operation: 'sessions.end',
      summary: 'Sign out of a browser, from the page',
      formBody: true,
      body: Type.Object({ proof: proofShape, id: Type.String({ maxLength: 100 }) }),
      handle: async (context) => {
        const by = browserOf(parts, context);
        const mistake = mistakeIn(parts, context, context.body.proof);
        if (mistake !== undefined) throw new Problem(403, 'FORM_STALE', mistake);
        await security.endSession(context.body.id, by);
        return redirectTo(`${paths.overview}?done=session`);
      },
    }),
  ];
}

/** A form that asks for the present password and does one thing. */
function passwordAgain(
  parts: PageParts,
  path: string,
  title: string,
  button: string,
  act: (present: string, by: ReturnType<typeof byOf>) => Promise<Answer>,
): Route[] {
  return [
    route({
      ...commonOfPages,
      method: 'POST',
      path,
      operation: 'security.update',
      summary: `${title}, from the page`,
      formBody: true,
      body: Type.Object({ proof: proofShape, present: passwordShape }),
      handle: async (context) => {
        const by = browserOf(parts, context);
        const again = (mistake: string) =>
          presentPasswordPage(title, path, button, proofOf(parts, context), mistake);
        const mistake = mistakeIn(parts, context, context.body.proof);
        if (mistake !== undefined) return again(mistake);
        return orAgain(again, () => act(context.body.present, by));
      },
    }),
  ];
}

/** Who looks at a page: a browser that is signed in, and for all accounts. */
export function browserOf(parts: PageParts, context: Context): ReturnType<typeof byOf> {
  const by = byOf(context);
  if (parts.browsers.tokenIn(context.headers) !== undefined && idOf(by.caller.via, 'session') !== undefined)
    return by;
  throw new Problem(
    403,
    'BROWSER_ONLY',
    'These pages are for browsers. Programs use /v1/sessions and /v1/user/password.',
  );
}

/** What shows that a form of this page comes back from it: bound to the session. */
export function proofOf(parts: PageParts, context: Context): string {
  return parts.forms.proof(parts.browsers.tokenIn(context.headers) ?? '', 'security');
}

export function mistakeIn(parts: PageParts, context: Context, proof: string): string | undefined {
  return parts.forms.mistakeIn(context, parts.browsers.tokenIn(context.headers), 'security', proof);
}

/** What was typed wrong is told beside the form; the rest is a page of its own. */
export async function orAgain(
  again: (mistake: string) => Answer,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const typed = error instanceof Problem && ['WRONG_PASSWORD', 'WRONG_CODE'].includes(error.code);
    if (!typed) throw error;
    return again(error.message);
  }
}

/** Who is not signed in is led to where he can be. */
function signInOrProblem(problem: Problem): Answer {
  if (problem.status !== 401) return patienceOrProblem(problem);
  const link = `<p>This page is about your own sign-in.</p><a class="button" href="${signInPath}">Sign in</a>`;
  return page(401, 'Please sign in', link, { headers: { refresh: `0; url=${signInPath}` } });
}
