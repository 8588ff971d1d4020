import { type Route, route } from '../../route.ts';
import { type Static, Type } from '../../schema.ts';
import { redirectTo } from '../oauth/index.ts';
import { pageAnswers, problemPage } from '../setup/index.ts';
import { type Logout, type LogoutRequest, logoutPath } from './logout.ts';

const parameter = Type.Optional(Type.String({ maxLength: 4096 }));
const parameters = {
  id_token_hint: parameter,
  client_id: parameter,
  post_logout_redirect_uri: parameter,
  state: parameter,
};
const shape = Type.Object(parameters);

/** GET and POST /v1/oauth/logout. */
export function logoutRoutes(logout: Logout): Route[] {
  const common = {
    path: logoutPath,
    operation: 'oauth.logout',
    tag: 'Sign-in',
    problemPage,
    answers: { ...pageAnswers, 302: { description: 'Signed out: to post_logout_redirect_uri' } },
  } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Sign out; asks first unless an id token of the session says who asks',
      description: 'OpenID Connect RP-Initiated Logout 1.0.',
      query: shape,
      handle: (context) => logout.ask(known(context.query), context),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'As GET, with the parameters in a form; also the answer to the question whether to sign out',
      formBody: true,
      body: Type.Object({ ...parameters, proof: Type.Optional(Type.String({ maxLength: 100 })) }),
      handle: async (context) => {
        const { proof, ...request } = context.body;
        if (proof !== undefined) return logout.confirm(known(request), proof, context);
        // The cookie does not come with a form of another site, but with the request that this leads to.
        return redirectTo(`${logoutPath}?${new URLSearchParams(known(request) as Record<string, string>)}`);
      },
    }),
  ];
}

/** RFC 6749 §3.1: what is empty is as if it were not there. */
function known(request: Static<typeof shape>): LogoutRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== ''));
}
