import { type Static, Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { redirectTo } from '../oauth/index.ts';
import { pageAnswers, problemPage } from '../setup/index.ts';
import { proofShape } from './forms.ts';
import { type Logout, type LogoutRequest, logoutPath } from './logout.ts';

const parameter = (description: string) => Type.Optional(Type.String({ maxLength: 4096, description }));
const parameters = {
  id_token_hint: parameter('ID token of the session'),
  client_id: parameter('Id of the client'),
  post_logout_redirect_uri: parameter('Address to return to after signing out, one of the client'),
  state: parameter('Value that is returned unchanged'),
};
const shape = Type.Object(parameters);

/** Routes of GET and POST /v1/oauth/logout. */
export function logoutRoutes(logout: Logout): Route[] {
  const common = {
    path: logoutPath,
    operation: 'oauth.logout',
    tag: 'Sign-in',
    problemPage,
    answers: { ...pageAnswers, 302: { description: 'Signed out: redirect to post_logout_redirect_uri' } },
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Sign out; asks first unless an id token of the session identifies the user',
      description: 'OpenID Connect RP-Initiated Logout 1.0.',
      query: shape,
      handle: (context) => logout.ask(known(context.query), context),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Do the same as GET, with the parameters in a form, or confirm the sign-out',
      formBody: true,
      body: Type.Object({ ...parameters, proof: Type.Optional(proofShape) }),
      handle: async (context) => {
        const { proof, ...request } = context.body;
        if (proof !== undefined) return logout.confirm(known(request), proof, context);
        // The cookie does not come with a cross-site form, but with the redirected request.
        return redirectTo(`${logoutPath}?${new URLSearchParams(known(request) as Record<string, string>)}`);
      },
    }),
  ];
}

/** Drops empty parameters, which count as absent (RFC 6749 §3.1). */
function known(request: Static<typeof shape>): LogoutRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== ''));
}
