import { invalidInput } from '../../problem.ts';
import { Answer, type Route, type RouteContext, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam, timestampShape } from '../../shapes.ts';
import { passwordMistake } from '../passwords/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { idOf, requireWhole, type Security } from './security.ts';

const sessionShape = Type.Object(
  {
    id: Type.String(),
    created: timestampShape,
    lastSeen: timestampShape,
    expires: timestampShape,
    userAgent: Type.String(),
    address: Type.String(),
    methods: Type.Array(Type.String(), { description: 'RFC 8176: pwd, otp; saml' }),
    current: Type.Boolean({ description: 'Whether it is the one that asks' }),
  },
  { title: 'Session' },
);

/** Who acts: for every route of this domain. Refuses credentials for one account. */
export function byOf({
  caller,
  requestId,
  address,
}: Pick<RouteContext<unknown, unknown, unknown, unknown>, 'caller' | 'requestId' | 'address'>) {
  requireWhole(caller);
  return { caller, requestId, address };
}

/** /v1/sessions and /v1/user/password, for programs. */
export function securityRoutes(security: Security, sessions: Sessions): Route[] {
  const tag = 'Sign-in';
  // What is good for one account only is refused, so no key; of tokens those of the command line.
  const credentials = ['oauth2', 'sessionCookie'] as const;
  return [
    route({
      method: 'GET',
      path: '/v1/sessions',
      operation: 'sessions.list',
      tag,
      credentials,
      summary: 'The browsers in which you are signed in',
      answers: {
        200: { schema: Type.Object({ items: Type.Array(sessionShape) }), description: 'Newest first' },
      },
      handle: async (context) => {
        const { caller } = byOf(context);
        const own = idOf(caller.via, 'session');
        const items = await sessions.list(caller.userId);
        return { items: items.map((one) => ({ ...one, current: one.id === own })) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/sessions/:id',
      operation: 'sessions.end',
      tag,
      credentials,
      summary: 'Sign out of a browser, at once; what applications were given in it ends',
      params: idParam,
      answers: { 204: { description: 'Signed out' } },
      handle: async (context) => {
        await security.endSession(context.params.id, byOf(context));
        return new Answer(204);
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/user/password',
      operation: 'security.update',
      tag,
      credentials,
      summary: 'Change your password; every other browser is signed out',
      body: Type.Object({
        presentPassword: Type.String({ maxLength: 4096 }),
        password: Type.String({ maxLength: 4096 }),
      }),
      answers: { 204: { description: 'Changed' } },
      handle: async (context) => {
        const by = byOf(context);
        const { presentPassword, password } = context.body;
        const mistake = passwordMistake(password, password);
        if (mistake) throw invalidInput([{ path: 'body/password', message: `is not good: ${mistake}` }]);
        await security.changePassword(presentPassword, password, by);
        return new Answer(204);
      },
    }),
  ];
}
