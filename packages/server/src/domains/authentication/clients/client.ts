import type { ClientsTable } from '../../../platform/records/schema-sign-in.ts';

/** Sign-in methods that a client offers. */
export const identityProviders = ['PASSWORD', 'SAML'] as const;
type IdentityProvider = (typeof identityProviders)[number];

/** OAuth flows; `token` is an alias of `implicit` (docs/api/sign-in.md). */
export const flows = ['code', 'implicit', 'token', 'client_credentials'] as const;
type Flow = (typeof flows)[number];

export const scopes = ['openid', 'email', 'profile', 'phone', 'offline_access'] as const;
/** A scope of OpenID Connect, or one of SMART such as `user/*.rs`. */
export type Scope = (typeof scopes)[number] | `${'user' | 'system'}/${string}`;

/** Set of public keys of a client (RFC 7517). */
export interface ClientKeys {
  keys: Record<string, unknown>[];
}

/** Lifetime of refresh tokens: one use each, or until their grant ends. */
export const refreshTokens = ['rotating', 'lasting'] as const;
type RefreshTokens = (typeof refreshTokens)[number];

/** Identity provider of a client: address and mapping of attributes to profile fields. */
export interface CustomIdentityProvider {
  /** `samlAttribute=profileField` each. */
  attributeMapping: string[];
  /** `groupOfProvider=group` each. Absent in clients of before. */
  groupMapping?: string[];
  metadataUrl: string;
}

/** Settings of a client, besides its name. */
export interface ClientSettings {
  callbackUrls: string[];
  logoutUrls: string[];
  identityProviders: IdentityProvider[];
  allowedOAuthFlows: Flow[];
  allowedScopes: Scope[];
  customIdentityProvider?: CustomIdentityProvider;
  /** Public keys by which the client proves itself in place of a secret, or the address where they are (SMART, `private_key_jwt`). */
  jwks?: ClientKeys;
  jwksUrl?: string;
  /** `lasting`: a refresh returns the same token, for applications that store no new one. */
  refreshTokens: RefreshTokens;
  /** Set on the host only: tokens of users who signed in by themselves reach their profile and API keys. */
  firstParty: boolean;
  /** Set for a client that registered itself: each user must consent, and its tokens are for the endpoint of assistants alone. */
  registered?: true;
}

/** Client as the service uses it. */
export interface Client extends ClientSettings {
  id: string;
  /** Empty for the command line, and for a registered client that awaits its first consent. */
  account: string;
  name: string;
  /** SHA-256, hex; `undefined` for a public client, which must use PKCE. */
  secretHash: string | undefined;
}

/** Settings of a client by default. */
export const defaultSettings: ClientSettings = {
  callbackUrls: [],
  logoutUrls: [],
  identityProviders: ['PASSWORD'],
  allowedOAuthFlows: ['code'],
  allowedScopes: ['openid', 'email', 'profile', 'phone'],
  refreshTokens: 'rotating',
  firstParty: false,
};

/** Client of the built-in command line: without account, valid for all accounts of its user. */
export const commandLine: Client = {
  id: 'ploidy-command-line',
  account: '',
  name: 'Ploidy command line',
  secretHash: undefined,
  ...defaultSettings,
  allowedScopes: ['openid', 'email', 'profile'],
  callbackUrls: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
};

/** Returns the address of the metadata by which users sign in to a client, if it offers SAML. */
export function offeredProvider({
  identityProviders,
  customIdentityProvider,
}: ClientSettings): string | undefined {
  return identityProviders.includes('SAML') ? customIdentityProvider?.metadataUrl : undefined;
}

/**
 * Reports whether a client is part of this service. Its name is public, so it does not prove the caller's
 * identity.
 */
export function isBuiltIn({ id }: Client): boolean {
  return id === commandLine.id;
}

export function toClient(row: ClientsTable): Client {
  const settings = JSON.parse(row.settings) as ClientSettings;
  const secretHash = row.secret_hash ?? undefined;
  return { id: row.id, account: row.account_id, name: row.name, secretHash, ...settings };
}

/** Client in API form: without its secret, but with whether one exists. */
interface ClientView extends Omit<Client, 'secretHash' | 'account'> {
  hasSecret: boolean;
  generateSecret: boolean;
}

/**
 * Returns a client in API form. It omits `generateSecret`, which in a request makes a new secret: writing
 * back a read client must not.
 */
export function viewOf(client: Client): ClientView {
  const { secretHash, account: _, ...shown } = client;
  return { ...shown, hasSecret: secretHash !== undefined, generateSecret: false };
}
