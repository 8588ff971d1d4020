import { Answer, type Route, type RouteContext, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import type { Session } from '../sessions/index.ts';
import { problemPage } from '../setup/index.ts';
import { type AuthorizationRequest, NoDestination, refuseTooLong } from './authorization-request.ts';
import type { Authorizer } from './authorizer.ts';
import { parameterShapes } from './parameters.ts';

/** What the sign-in view looks at of a request. */
export type SignInContext = Pick<
  RouteContext<unknown, unknown, unknown, unknown>,
  'headers' | 'url' | 'address' | 'requestId'
>;
type Context = SignInContext;

/** What the sign-in view does for authorization. Handed in by app.ts. */
export interface SignInView {
  /** Who is signed in in the browser that sent these headers. */
  current(context: Context): Promise<Session | undefined>;
  /** The view, for a request that needs somebody to sign in. */
  show(request: AuthorizationRequest, context: Context): Promise<Answer>;
  /** The question whether the application may act for who is signed in. */
  ask(request: AuthorizationRequest, session: Session, context: Context): Answer;
  /** A page that says what is wrong with a request that cannot be sent back. */
  mistake(message: string): Answer;
}

/** Sent somewhere with 302, as the specification says, also after a POST; browsers make a GET of it. */
export function redirectTo(location: string, headers: Record<string, string | string[]> = {}): Answer {
  return new Answer(302, undefined, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...headers,
  });
}

/**
 * GET and POST /v1/oauth/authorize. No schema looks at the parameters: most mistakes in them are told to the application, and repeated ones
 * have to be seen.
 */
export function authorizeRoutes(authorizer: Authorizer, view: SignInView): Route[] {
  const decide = async (query: string, context: Context): Promise<Answer> => {
    const decided = await authorizer.authorize(query, await view.current(context));
    if (decided.kind === 'redirect') return redirectTo(decided.location);
    if (decided.kind === 'ask') return view.ask(decided.request, decided.session, context);
    return await view.show(decided.request, context);
  };
  const orMistake = async (answer: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof NoDestination) return view.mistake(error.message);
      throw error;
    }
  };
  const common = {
    path: '/v1/oauth/authorize',
    operation: 'oauth.authorize',
    tag: 'Sign-in',
    problemPage,
    answers: {
      302: { description: 'Sent to redirect_uri, with `code` or `access_token`, or with `error`' },
      200: { schema: Type.String(), description: 'The sign-in view', contentType: 'text/html' },
    },
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Ask for a code or an access token; shows the sign-in view when nobody is signed in',
      description: 'RFC 6749 §4.1.1 and §4.2.1, RFC 7636, OpenID Connect Core §3.1.2.1.',
      described: { query: described },
      handle: (context) => orMistake(() => decide(context.url.split('?').slice(1).join('?'), context)),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'As GET, with the parameters in a form',
      formBody: true,
      described: { body: described },
      handle: (context) =>
        orMistake(async () => {
          const query = asQuery(context.body as unknown as object);
          refuseTooLong(query);
          if (await view.current(context)) return decide(query, context);
          // The cookie does not come with a form of another site (`SameSite=Lax`), but with the request that this leads to.
          return redirectTo(`/v1/oauth/authorize?${query}`);
        }),
    }),
  ];
}

const { described } = parameterShapes({
  required: ['response_type', 'client_id', 'redirect_uri'],
  optional: [
    'state',
    'scope',
    'code_challenge_method',
    'code_challenge',
    'nonce',
    'prompt',
    'login_hint',
    'max_age',
    'id_token_hint',
    'response_mode',
    'request',
    'request_uri',
    'registration',
  ],
});

/** The known parameters of a form as a query, repeated ones repeated. */
function asQuery(body: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body).filter(([name]) =>
    Object.hasOwn(described.properties, name),
  ))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  return query.toString();
}
