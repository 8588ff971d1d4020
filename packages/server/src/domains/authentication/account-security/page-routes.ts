import { Type } from 'typebox';
import type { Answer, Route, RouteContext } from '../../../api/route.ts';
import { route } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { redirectTo } from '../oauth/index.ts';
import { page, pageAnswers, signInPath } from '../setup/index.ts';
import { type Forms, proofShape, returnToOwn, waitOrProblemPage } from '../sign-in/index.ts';
import { newPasswordShape, passwordFault, passwordShape, repeatedShape } from '../sign-in/passwords/index.ts';
import type { BrowserSessions, Sessions } from '../sign-in/sessions/index.ts';
import { codesPage, currentPasswordPage, done, overviewPage, passwordPage, paths } from './pages.ts';
import { actorOf } from './routes.ts';
import { idOf, type Security } from './security.ts';

export interface PageDeps {
  security: Security;
  sessions: Sessions;
  browsers: BrowserSessions;
  forms: Forms;
  secrets: Secrets;
  publicUrl: () => string;
}

type Context = RouteContext<unknown, unknown, unknown, unknown>;

/** Common fields of all pages of this domain. */
export const pageDefaults = {
  tag: 'Sign-in',
  credentials: ['sessionCookie'],
  problemPage: signInOrProblem,
  answers: { ...pageAnswers, 302: { description: 'Done: redirect to the page' } },
} as const;

/** Routes of /v1/security: pages for users to manage their own sign-in. They work without scripts. */
export function securityPages(deps: PageDeps): Route[] {
  const { security, sessions } = deps;
  return [
    route({
      ...pageDefaults,
      method: 'GET',
      path: paths.overview,
      operation: 'security.read',
      summary: 'Show your sign-in methods and sessions',
      query: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }),
      handle: async (context) => {
        const { caller } = browserOf(deps, context);
        const own = idOf(caller.via, 'session');
        const [state, list] = await Promise.all([security.state(caller), sessions.list(caller.userId)]);
        return overviewPage({
          ...state,
          email: caller.email,
          proof: proofOf(deps, context),
          sessions: list.map((one) => ({ ...one, current: one.id === own })),
          message: Object.hasOwn(done, context.query.done ?? '') ? done[context.query.done ?? ''] : undefined,
        });
      },
    }),
    route({
      ...pageDefaults,
      method: 'POST',
      path: paths.password,
      operation: 'security.update',
      summary: 'Change your password from the page',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        current: passwordShape,
        password: newPasswordShape,
        repeated: repeatedShape,
      }),
      handle: async (context) => {
        const by = browserOf(deps, context);
        const { current, password, repeated, proof } = context.body;
        const again = (fault: string) => passwordPage(by.caller.email, proofOf(deps, context), fault);
        const fault = faultIn(deps, context, proof) ?? passwordFault(password, repeated, by.caller.email);
        if (fault) return again(fault);
        return showErrors(again, async () => {
          await security.changePassword(current, password, by);
          return redirectTo(`${paths.overview}?done=password`);
        });
      },
    }),
    ...confirmedByPassword(
      deps,
      paths.remove,
      'Turn off the second step',
      'Turn off',
      async (current, by) => {
        await security.turnOff(current, by);
        return redirectTo(`${paths.overview}?done=off`);
      },
    ),
    ...confirmedByPassword(
      deps,
      paths.codes,
      'Make new recovery codes',
      'Make new codes',
      async (current, by) => codesPage(await security.renewCodes(current, by)),
    ),
    route({
      ...pageDefaults,
      method: 'POST',
      path: paths.sessions,
      operation: 'sessions.end',
      summary: 'Sign out of a browser from the page',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        id: Type.String({ maxLength: 100, description: 'Id of the session' }),
      }),
      handle: async (context) => {
        const by = browserOf(deps, context);
        const fault = faultIn(deps, context, context.body.proof);
        if (fault !== undefined) throw new Problem(403, 'FORM_STALE', fault);
        await security.endSession(context.body.id, by);
        return redirectTo(`${paths.overview}?done=session`);
      },
    }),
  ];
}

/** Routes of a form that asks for the current password before one action. */
function confirmedByPassword(
  deps: PageDeps,
  path: string,
  title: string,
  button: string,
  act: (current: string, by: ReturnType<typeof actorOf>) => Promise<Answer>,
): Route[] {
  return [
    route({
      ...pageDefaults,
      method: 'POST',
      path,
      operation: 'security.update',
      summary: `${title}, from the page`,
      formBody: true,
      body: Type.Object({ proof: proofShape, current: passwordShape }),
      handle: async (context) => {
        const by = browserOf(deps, context);
        const again = (fault: string) =>
          currentPasswordPage(title, path, button, proofOf(deps, context), fault);
        const fault = faultIn(deps, context, context.body.proof);
        if (fault !== undefined) return again(fault);
        return showErrors(again, () => act(context.body.current, by));
      },
    }),
  ];
}

/** Returns the caller of a page: a signed-in browser, with access to all accounts. */
export function browserOf(deps: PageDeps, context: Context): ReturnType<typeof actorOf> {
  const by = actorOf(context);
  if (deps.browsers.tokenIn(context.headers) !== undefined && idOf(by.caller.via, 'session') !== undefined)
    return by;
  throw new Problem(
    403,
    'BROWSER_ONLY',
    'These pages are for browsers. Programs use /v1/sessions and /v1/user/password.',
  );
}

/** Returns the proof that a form was submitted from this page: bound to the session. */
export function proofOf(deps: PageDeps, context: Context): string {
  return deps.forms.proof(deps.browsers.tokenIn(context.headers) ?? '', 'security');
}

export function faultIn(deps: PageDeps, context: Context, proof: string): string | undefined {
  return deps.forms.faultIn(context, deps.browsers.tokenIn(context.headers), 'security', proof);
}

/** Shows input errors beside the form; throws all other errors. */
export async function showErrors(
  again: (fault: string) => Answer,
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

/** Redirects users who are not signed in. */
function signInOrProblem(problem: Problem): Answer {
  if (problem.status !== 401) return waitOrProblemPage(problem);
  const address = `${signInPath}?${returnToOwn}`;
  const link = `<p>This page is about your own sign-in.</p><a class="button" href="${address}">Sign in</a>`;
  return page(401, 'Please sign in', link, { headers: { refresh: `0; url=${address}` } });
}
