import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { nameShape } from '../../shapes.ts';
import { type Client, flows, identityProviders, scopes, viewOf } from './client.ts';
import type { Clients, MadeClient } from './clients.ts';

const tag = 'Clients';

const addressShape = Type.String({ minLength: 1, maxLength: 2000 });
const addresses = (description: string) =>
  Type.Optional(Type.Array(addressShape, { maxItems: 50, description }));
const oneOf = <T extends string>(values: readonly T[], minItems = 0) =>
  Type.Array(Type.Union(values.map((value) => Type.Literal(value))), {
    minItems,
    maxItems: values.length,
    uniqueItems: true,
  });

const fields = {
  callbackUrls: addresses('Where people may be sent after signing in; compared exactly'),
  logoutUrls: addresses('Where people may be sent after signing out; compared exactly'),
  identityProviders: Type.Optional(oneOf(identityProviders, 1)),
  allowedOAuthFlows: Type.Optional(oneOf(flows)),
  allowedScopes: Type.Optional(oneOf(scopes)),
  customIdentityProvider: Type.Optional(
    Type.Union([
      Type.Object({
        attributeMapping: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 50 }),
        ),
        metadataUrl: addressShape,
      }),
      Type.Null(),
    ]),
  ),
  generateSecret: Type.Optional(
    Type.Boolean({ description: '`true` makes a secret, or a new one. `false` changes nothing' }),
  ),
};

const clientShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    hasSecret: Type.Boolean({ description: 'Whether it has a secret' }),
    generateSecret: Type.Boolean({
      description:
        '`true` in the answer to the request that made its secret, else `false`: what is read can be sent back',
    }),
    secret: Type.Optional(Type.String({ description: 'Only in the answer to the request that made it' })),
    callbackUrls: Type.Array(Type.String()),
    logoutUrls: Type.Array(Type.String()),
    identityProviders: Type.Array(Type.String()),
    allowedOAuthFlows: Type.Array(Type.String()),
    allowedScopes: Type.Array(Type.String()),
    customIdentityProvider: Type.Optional(
      Type.Object({ attributeMapping: Type.Array(Type.String()), metadataUrl: Type.String() }),
    ),
  },
  { title: 'Client' },
);

const clientParam = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 255 }) });

/** /v1/clients */
export function clientRoutes(clients: Clients): Route[] {
  const locate = async ({
    params,
  }: {
    params: { clientId: string };
  }): Promise<Located<Client> | undefined> => {
    const record = await clients.find(params.clientId);
    return record && { attributes: { account: record.account, type: 'client', id: record.id }, record };
  };
  const one = { tag, accountHeader: true, params: clientParam, path: '/v1/clients/:clientId', locate };
  return [
    route({
      method: 'GET',
      path: '/v1/clients',
      operation: 'clients.list',
      tag,
      summary: 'OAuth clients of the account',
      accountHeader: true,
      answers: {
        200: { schema: Type.Object({ clients: Type.Array(clientShape) }), description: 'Oldest first' },
      },
      handle: async ({ account }) => ({ clients: (await clients.list(account)).map(viewOf) }),
    }),
    route({
      method: 'POST',
      path: '/v1/clients',
      operation: 'clients.create',
      tag,
      summary: 'Make an OAuth client',
      description: 'With `generateSecret: true` the answer holds its `secret`, this once.',
      accountHeader: true,
      body: Type.Object({ name: nameShape('Shown to people who sign in'), ...fields }),
      answers: { 201: { schema: clientShape, description: 'The client' } },
      handle: async ({ account, body, caller, requestId }) =>
        madeView(await clients.create(account, withMapping(body), { caller, requestId })),
    }),
    route({
      method: 'GET',
      operation: 'clients.read',
      summary: 'One OAuth client',
      answers: { 200: { schema: clientShape, description: 'The client' } },
      handle: async ({ resource }) => viewOf(resource),
      ...one,
    }),
    route({
      method: 'PUT',
      operation: 'clients.update',
      summary: 'Change an OAuth client, or give it a new secret',
      description: 'Fields that are not sent keep their value; `null` takes the identity provider away.',
      body: Type.Object({ name: Type.Optional(nameShape('New name')), ...fields }),
      answers: { 200: { schema: clientShape, description: 'The client as it is now' } },
      handle: async ({ resource, body, caller, requestId }) =>
        madeView(await clients.update(resource.id, withMapping(body), { caller, requestId })),
      ...one,
    }),
    route({
      method: 'DELETE',
      operation: 'clients.delete',
      summary: 'Delete an OAuth client; what it was given stops working',
      answers: { 204: { description: 'Deleted' } },
      handle: async ({ resource, caller, requestId }) => {
        await clients.delete(resource, { caller, requestId });
        return new Answer(204);
      },
      ...one,
    }),
  ];
}

function madeView({ client, secret }: MadeClient): object {
  return secret === undefined ? viewOf(client) : { ...viewOf(client), generateSecret: true, secret };
}

/** An identity provider without a mapping uses the usual attribute names. */
function withMapping<
  B extends { customIdentityProvider?: { attributeMapping?: string[]; metadataUrl: string } | null },
>(body: B) {
  const { customIdentityProvider: given, ...rest } = body;
  if (given === undefined) return rest;
  if (given === null) return { ...rest, customIdentityProvider: null };
  const { metadataUrl, attributeMapping = [] } = given;
  return { ...rest, customIdentityProvider: { attributeMapping, metadataUrl } };
}
