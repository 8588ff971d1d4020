import { Type } from 'typebox';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { nameShape, textOf } from '../../../api/shapes.ts';
import {
  type Client,
  flows,
  identityProviders,
  refreshTokens,
  type Scope,
  scopes,
  viewOf,
} from './client.ts';
import type { Clients, MadeClient } from './clients.ts';

const tag = 'Clients' as const;

const addressShape = Type.String({ minLength: 1, maxLength: 2000 });
const addresses = (description: string) =>
  Type.Optional(Type.Array(addressShape, { maxItems: 50, description }));
const oneOf = <T extends string>(values: readonly T[], description: string, minItems = 0) =>
  Type.Array(Type.Union(values.map((value) => Type.Literal(value))), {
    description,
    minItems,
    maxItems: values.length,
    uniqueItems: true,
  });

/** Meaning of each setting, in requests and answers. */
const words = {
  callbackUrls: 'Redirect URIs after sign-in; compared exactly',
  logoutUrls: 'Redirect URIs after sign-out; compared exactly',
  identityProviders: 'Ways to sign in: `PASSWORD`, and `SAML` by `customIdentityProvider`',
  allowedOAuthFlows: 'Flows that the client may use; `token` is another name of `implicit`',
  allowedScopes:
    'Scopes that the client may request: those of OpenID Connect, and of SMART as `patient/*.rs`, `user/*.rs`, `system/*.rs`',
  jwks: 'Public keys with which the client signs assertions in place of a secret (`private_key_jwt`)',
  jwksUrl: 'Address of these keys',
  customIdentityProvider: 'SAML identity provider of the client',
  attributeMapping:
    '`samlAttribute=profileField` each; without entries the usual names of attributes are used',
  groupMapping:
    '`groupOfProvider=group` each, with the name or id of a group of the account: at each sign-in a user joins the groups of the own entries, and leaves those of the others',
  metadataUrl: 'Address of the SAML metadata of the provider',
  refreshTokens:
    '`rotating`, the default: each use returns a new one. `lasting`: one serves until its grant ends, for applications that store no new one',
} as const;

const fields = {
  callbackUrls: addresses(words.callbackUrls),
  logoutUrls: addresses(words.logoutUrls),
  identityProviders: Type.Optional(oneOf(identityProviders, words.identityProviders, 1)),
  allowedOAuthFlows: Type.Optional(oneOf(flows, words.allowedOAuthFlows)),
  allowedScopes: Type.Optional(
    Type.Array(
      Type.Union([
        ...scopes.map((value) => Type.Literal(value)),
        Type.Unsafe<Scope>(Type.String({ pattern: '^(user|system|patient)/', maxLength: 600 })),
      ]),
      { description: words.allowedScopes, maxItems: 50, uniqueItems: true },
    ),
  ),
  jwks: Type.Optional(
    Type.Union(
      [
        Type.Object({
          keys: Type.Array(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()), {
            minItems: 1,
            maxItems: 20,
            description: 'Keys (RFC 7517)',
          }),
        }),
        Type.Null(),
      ],
      { description: `${words.jwks}; \`null\` removes them` },
    ),
  ),
  jwksUrl: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 2000 }), Type.Null()], {
      description: `${words.jwksUrl}; \`null\` removes it`,
    }),
  ),
  customIdentityProvider: Type.Optional(
    Type.Union(
      [
        Type.Object({
          attributeMapping: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
              maxItems: 50,
              description: words.attributeMapping,
            }),
          ),
          groupMapping: Type.Optional(
            Type.Array(Type.String({ minLength: 3, maxLength: 1500 }), {
              maxItems: 500,
              description: words.groupMapping,
            }),
          ),
          metadataUrl: Type.String({ minLength: 1, maxLength: 2000, description: words.metadataUrl }),
        }),
        Type.Null(),
      ],
      { description: `${words.customIdentityProvider}; \`null\` removes it` },
    ),
  ),
  refreshTokens: Type.Optional(
    Type.Union(
      refreshTokens.map((value) => Type.Literal(value)),
      { description: words.refreshTokens },
    ),
  ),
  generateSecret: Type.Optional(
    Type.Boolean({ description: '`true` makes a secret, or a new one. `false` changes nothing' }),
  ),
};

const texts = (description: string) => Type.Array(Type.String(), { description });

const clientShape = Type.Object(
  {
    id: textOf('Id of the client: `client_id` of OAuth'),
    name: textOf('Name that is shown to users who sign in'),
    hasSecret: Type.Boolean({ description: 'True for a client with a secret' }),
    generateSecret: Type.Boolean({
      description:
        '`true` in the answer to the request that made its secret, else `false`: what is read can be sent back',
    }),
    secret: Type.Optional(Type.String({ description: 'Only in the response that created it' })),
    callbackUrls: texts(words.callbackUrls),
    logoutUrls: texts(words.logoutUrls),
    identityProviders: texts(words.identityProviders),
    allowedOAuthFlows: texts(words.allowedOAuthFlows),
    allowedScopes: texts(words.allowedScopes),
    jwks: Type.Optional(
      Type.Object(
        {
          keys: Type.Array(Type.Object({}, { additionalProperties: true }), {
            description: 'Keys (RFC 7517)',
          }),
        },
        { description: words.jwks },
      ),
    ),
    jwksUrl: Type.Optional(textOf(words.jwksUrl)),
    refreshTokens: textOf(words.refreshTokens),
    firstParty: Type.Boolean({
      description: 'Set on the host: its tokens may change the profile and make API keys',
    }),
    registered: Type.Optional(
      Type.Boolean({
        description:
          'True for the program of an assistant that registered itself; deleted when no grant is left',
      }),
    ),
    customIdentityProvider: Type.Optional(
      Type.Object(
        {
          attributeMapping: texts(words.attributeMapping),
          groupMapping: Type.Optional(texts(words.groupMapping)),
          metadataUrl: textOf(words.metadataUrl),
        },
        { description: `${words.customIdentityProvider}; absent without one` },
      ),
    ),
  },
  { title: 'OAuthClient' },
);

const clientParam = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 255 }) });

/** Routes of /v1/clients. */
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
      summary: 'List the OAuth clients of the account',
      accountHeader: true,
      answers: {
        200: {
          schema: Type.Object({
            clients: Type.Array(clientShape, { description: 'Clients of the account' }),
          }),
          description: 'Oldest first',
        },
      },
      handle: async ({ account }) => ({ clients: (await clients.list(account)).map(viewOf) }),
    }),
    route({
      method: 'POST',
      path: '/v1/clients',
      operation: 'clients.create',
      conflicts: ['TOO_MANY_CLIENTS'],
      tag,
      summary: 'Create an OAuth client',
      description: 'With `generateSecret: true` the response holds its `secret`, this once.',
      accountHeader: true,
      body: Type.Object({ name: nameShape('Shown to users who sign in'), ...fields }),
      answers: { 201: { schema: clientShape, description: 'The client' } },
      handle: async ({ account, body, caller, requestId }) =>
        madeView(await clients.create(account, withMapping(body), { caller, requestId })),
    }),
    route({
      method: 'GET',
      operation: 'clients.read',
      summary: 'Get an OAuth client',
      answers: { 200: { schema: clientShape, description: 'The client' } },
      handle: async ({ resource }) => viewOf(resource),
      ...one,
    }),
    route({
      method: 'PUT',
      operation: 'clients.update',
      conflicts: ['FIRST_PARTY_CLIENT'],
      summary: 'Change an OAuth client, or create a new secret',
      description: 'Absent fields keep their value; `null` removes the identity provider.',
      body: Type.Object({ name: Type.Optional(nameShape('New name')), ...fields }),
      answers: { 200: { schema: clientShape, description: 'The changed client' } },
      handle: async ({ resource, body, caller, requestId }) =>
        madeView(await clients.update(resource.id, withMapping(body), { caller, requestId })),
      ...one,
    }),
    route({
      method: 'DELETE',
      operation: 'clients.delete',
      summary: 'Delete an OAuth client; its tokens and grants end',
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

/** Adds the usual attribute names to an identity provider without a mapping. */
function withMapping<
  B extends {
    customIdentityProvider?: {
      attributeMapping?: string[];
      groupMapping?: string[];
      metadataUrl: string;
    } | null;
  },
>(body: B) {
  const { customIdentityProvider: given, ...rest } = body;
  if (given === undefined) return rest;
  if (given === null) return { ...rest, customIdentityProvider: null };
  const { attributeMapping = [], ...others } = given;
  return { ...rest, customIdentityProvider: { ...others, attributeMapping } };
}
