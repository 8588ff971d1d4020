import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { textOf, timestampShape } from '../../../api/shapes.ts';
import { usernameShape } from '../users/index.ts';
import type { Views } from './views.ts';

/** Route that begins a view. */
export function viewRoutes(views: Views): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/account/views',
      operation: 'users.view',
      tag: 'Users',
      summary: 'See as another member of the account',
      description:
        'Requests with this credential and the header `Ploidy-View: <token>` are answered as to the member, with the rights to read that both have. They change nothing. Needs accessAdmin as well.',
      accountHeader: true,
      body: Type.Object({ user: usernameShape }),
      answers: {
        200: {
          schema: Type.Object(
            {
              token: textOf('Value of the header `Ploidy-View`'),
              until: timestampShape,
              userId: textOf('Id of the member'),
            },
            { title: 'View' },
          ),
          description: 'The view, for an hour',
        },
      },
      locate: async ({ body }, account) => {
        const user = await views.member(account, body.user);
        return (
          user && {
            attributes: { account, type: 'user', id: user.id },
            record: user,
            also: [{ operation: 'members.readAttributes', attributes: { account, type: 'user' } }],
          }
        );
      },
      handle: async ({ account, resource, caller, requestId }) => ({
        ...(await views.begin(account, resource, { caller, requestId })),
        userId: resource.id,
      }),
    }),
  ];
}
