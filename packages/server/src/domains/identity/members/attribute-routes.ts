import { Type } from 'typebox';
import { type Located, type Route, route } from '../../../api/route.ts';
import { type User, usernameShape } from '../users/index.ts';
import { type Attributes, requireValid } from './attributes.ts';
import type { People } from './people.ts';

const tag = 'Users';
const path = '/v1/account/users/:username/attributes';
const params = Type.Object({ username: usernameShape });
const attributesShape = Type.Object({
  customAttributes: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Attributes that policies read as `user.customAttributes.…`; at most 16 KiB, 8 levels',
  }),
});

/** Routes of /v1/account/users/{username}/attributes. */
export function attributeRoutes(attributes: Attributes, people: People): Route[] {
  const locate = async (account: string, username: string): Promise<Located<User> | undefined> => {
    const record = await people.ofAccount(account, username);
    return record && { attributes: { account, type: 'user', id: record.id }, record };
  };
  return [
    route({
      method: 'GET',
      path,
      operation: 'members.readAttributes',
      conflicts: ['SEVERAL_USERS'],
      tag,
      summary: 'Get the attributes of a member of the account',
      accountHeader: true,
      params,
      answers: { 200: { schema: attributesShape, description: 'The attributes' } },
      locate: ({ params }, account) => locate(account, params.username),
      handle: async ({ account, resource }) => ({
        customAttributes: await attributes.read(account, resource),
      }),
    }),
    route({
      method: 'PUT',
      path,
      operation: 'members.writeAttributes',
      conflicts: ['SEVERAL_USERS', 'LAST_ADMINISTRATOR'],
      tag,
      summary: 'Replace the attributes of a member of the account',
      description: 'Attributes apply at once, in this account only, until the membership ends.',
      accountHeader: true,
      params,
      body: attributesShape,
      answers: { 200: { schema: attributesShape, description: 'The attributes' } },
      locate: ({ params, body }, account) => {
        requireValid(body.customAttributes);
        return locate(account, params.username);
      },
      handle: async ({ account, resource, body, caller, requestId }) => {
        const { customAttributes } = body;
        requireValid(customAttributes);
        return {
          customAttributes: await attributes.write(account, resource, customAttributes, {
            caller,
            requestId,
          }),
        };
      },
    }),
  ];
}
