import { Type } from 'typebox';
import { Answer, type Route, type RouteContext, route } from '../../../../api/route.ts';
import { problemPage } from '../../setup/index.ts';
import type { Session } from '../../sign-in/sessions/index.ts';
import { parameterShapes } from '../parameters.ts';
import { type AuthorizationRequest, NoDestination, refuseTooLong } from './authorization-request.ts';
import type { Authorizer, Choice } from './authorizer.ts';

/** Parts of a request that the sign-in view uses. */
export type SignInContext = Pick<
  RouteContext<unknown, unknown, unknown, unknown>,
  'headers' | 'url' | 'address' | 'requestId'
>;
type Context = SignInContext;

/** Sign-in view for authorization, injected by the app. */
export interface SignInView {
  /** Returns the session of the browser that sent the request. */
  current(context: Context): Promise<Session | undefined>;
  /** Shows the sign-in form for a request. */
  show(request: AuthorizationRequest, context: Context): Promise<Answer>;
  /** Asks the signed-in user for consent to the application. */
  ask(request: AuthorizationRequest, session: Session, context: Context): Answer;
  /** Asks the signed-in user for the patient of the launch. */
  choose(choice: Choice, context: Context): Answer;
  /** Shows an error of a request on a page, without redirect. */
  fault(message: string): Answer;
}

/** Redirects by 302 as specified, also after a POST; browsers then send a GET. */
export function redirectTo(location: string, headers: Record<string, string | string[]> = {}): Answer {
  return new Answer(302, undefined, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...headers,
  });
}

/**
 * Routes of GET and POST /v1/oauth/authorize. No schema checks the parameters: most errors are sent to the
 * application, and repeated parameters must be seen.
 */
export function authorizeRoutes(authorizer: Authorizer, view: SignInView): Route[] {
  const decide = async (query: string, context: Context): Promise<Answer> => {
    const decided = await authorizer.authorize(query, await view.current(context), context.requestId);
    if (decided.kind === 'redirect') return redirectTo(decided.location);
    if (decided.kind === 'choose') return view.choose(decided, context);
    if (decided.kind === 'ask') return view.ask(decided.request, decided.session, context);
    return await view.show(decided.request, context);
  };
  const orFault = async (answer: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof NoDestination) return view.fault(error.message);
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
      summary: 'Request a code or an access token; shows the sign-in view without a session',
      description: 'RFC 6749 §4.1.1 and §4.2.1, RFC 7636, OpenID Connect Core §3.1.2.1.',
      described: { query: described },
      handle: (context) => orFault(() => decide(context.url.split('?').slice(1).join('?'), context)),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Do the same as GET, with the parameters in a form',
      formBody: true,
      described: { body: described },
      handle: (context) =>
        orFault(async () => {
          const query = asQuery(context.body as unknown as object);
          refuseTooLong(query);
          if (await view.current(context)) return decide(query, context);
          // The cookie does not come with a cross-site form (`SameSite=Lax`), but with the redirected
          // request.
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
    'resource',
    'aud',
    'launch',
    'response_mode',
    'request',
    'request_uri',
    'registration',
  ],
});

/** Encodes the known parameters of a form as a query, repeated ones repeatedly. */
function asQuery(body: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(body).filter(([name]) =>
    Object.hasOwn(described.properties, name),
  ))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  return query.toString();
}
