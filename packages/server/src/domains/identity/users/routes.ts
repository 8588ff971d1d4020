import { Type } from 'typebox';
import { refuseOtherProfile } from '../../../access/only-account.ts';
import { type Route, route } from '../../../api/route.ts';
import type { Profiles } from './profiles.ts';
import { fullView, userShape } from './user-view.ts';

const tag = 'Users';

const nameField = Type.Optional(
  Type.Union(
    [
      Type.String({
        maxLength: 255,
        pattern: '^$|^(?=.*\\S)[^\\u0000-\\u001f\\u007f]+$',
        description: 'Empty, or not blank and without control characters',
      }),
      Type.Null(),
    ],
    { description: 'null or "" clears it' },
  ),
);

const unchanged = Type.Optional(
  Type.Union([Type.String({ maxLength: 2048 }), Type.Null()], {
    description: 'Must be unchanged: it is read-only here',
  }),
);

/** Routes of /v1/user: the caller. */
export function userRoutes(profiles: Profiles): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/user',
      operation: 'users.readSelf',
      tag,
      summary: 'Get your full profile',
      answers: { 200: { schema: userShape, description: 'You' } },
      handle: async ({ caller }) => fullView(await profiles.read(caller.userId)),
    }),
    route({
      method: 'PATCH',
      path: '/v1/user',
      operation: 'users.updateSelf',
      tag,
      summary: 'Change your profile',
      description: 'Absent fields stay unchanged.',
      body: Type.Object({
        profile: Type.Object(
          {
            email: unchanged,
            familyName: nameField,
            givenName: nameField,
            name: nameField,
            picture: unchanged,
            preferredUsername: nameField,
          },
          { description: 'Fields to change' },
        ),
      }),
      answers: { 200: { schema: userShape, description: 'Your changed profile' } },
      handle: async ({ body, caller, requestId }) => {
        refuseOtherProfile(caller);
        return fullView(await profiles.update(body.profile, { caller, requestId }));
      },
    }),
  ];
}
