import { Type } from 'typebox';
import { Answer, type Route, type RouteContext, route } from '../../../api/route.ts';
import { idParam, textOf, timestampShape } from '../../../api/shapes.ts';
import { invalidInput } from '../../../base/problem.ts';
import { newPasswordShape, passwordFault, passwordShape } from '../sign-in/passwords/index.ts';
import type { Sessions } from '../sign-in/sessions/index.ts';
import { idOf, requireUnrestricted, type Security } from './security.ts';

const sessionShape = Type.Object(
  {
    id: textOf('Id of the session'),
    created: timestampShape,
    lastSeen: timestampShape,
    expires: timestampShape,
    userAgent: textOf('Header User-Agent of the browser'),
    address: textOf('IP address from which the session began'),
    methods: Type.Array(Type.String(), { description: 'RFC 8176: pwd, otp; saml' }),
    current: Type.Boolean({ description: 'True for the session of this request' }),
  },
  { title: 'Session' },
);

const passwordChange = Type.Object({ currentPassword: passwordShape, password: newPasswordShape });

/** `presentPassword` is the name that programs before version 0.3 send. */
const passwordChangeShape = Type.Unsafe<{
  currentPassword?: string;
  presentPassword?: string;
  password: string;
}>({
  'x-described': passwordChange,
  ...Type.Object({
    currentPassword: Type.Optional(passwordShape),
    presentPassword: Type.Optional(passwordShape),
    password: newPasswordShape,
  }),
});

/** Returns the caller for every route of this domain. Refuses credentials for one account. */
export function actorOf({
  caller,
  requestId,
  address,
}: Pick<RouteContext<unknown, unknown, unknown, unknown>, 'caller' | 'requestId' | 'address'>) {
  requireUnrestricted(caller);
  return { caller, requestId, address };
}

/** Routes of /v1/sessions and /v1/user/password, for programs. */
export function securityRoutes(security: Security, sessions: Sessions): Route[] {
  const tag = 'Sign-in';
  // Credentials for one account are refused, so no keys, and no tokens but those of the command line.
  const credentials = ['oauth2', 'sessionCookie'] as const;
  return [
    route({
      method: 'GET',
      path: '/v1/sessions',
      operation: 'sessions.list',
      tag,
      credentials,
      summary: 'List the browsers in which you are signed in',
      answers: {
        200: {
          schema: Type.Object({ items: Type.Array(sessionShape, { description: 'Open sessions' }) }),
          description: 'Newest first',
        },
      },
      handle: async (context) => {
        const { caller } = actorOf(context);
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
      summary: 'Sign out of a browser immediately; grants to applications made in it end',
      params: idParam,
      answers: { 204: { description: 'Signed out' } },
      handle: async (context) => {
        await security.endSession(context.params.id, actorOf(context));
        return new Answer(204);
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/user/password',
      operation: 'security.update',
      conflicts: ['PASSWORD_CHANGED'],
      tag,
      credentials,
      summary: 'Change your password; all other browsers are signed out',
      body: passwordChangeShape,
      answers: { 204: { description: 'Changed' } },
      handle: async (context) => {
        const by = actorOf(context);
        const { currentPassword = context.body.presentPassword, password } = context.body;
        if (currentPassword === undefined)
          throw invalidInput([{ path: 'body/currentPassword', message: 'is missing' }]);
        const fault = passwordFault(password, password, by.caller.email);
        if (fault) throw invalidInput([{ path: 'body/password', message: `is not good: ${fault}` }]);
        await security.changePassword(currentPassword, password, by);
        return new Answer(204);
      },
    }),
  ];
}
