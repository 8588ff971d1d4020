import type { ClientsTable } from '../../platform/records/schema-sign-in.ts';

/** Ways of signing in that a client offers. */
export const identityProviders = ['PASSWORD', 'SAML'] as const;
export type IdentityProvider = (typeof identityProviders)[number];

/** `token` is another word for `implicit` (docs/clarifications.md, "Clients, OAuth, SAML"). */
export const flows = ['code', 'implicit', 'token', 'client_credentials'] as const;
export type Flow = (typeof flows)[number];

export const scopes = ['openid', 'email', 'profile', 'phone', 'offline_access'] as const;
export type Scope = (typeof scopes)[number];

/** Where a client's own identity provider is, and which of its attributes are which fields of the profile. */
export interface CustomIdentityProvider {
  /** `samlAttribute=profileField` each. */
  attributeMapping: string[];
  metadataUrl: string;
}

/** What an administrator sets of a client beside its name. */
export interface ClientSettings {
  callbackUrls: string[];
  logoutUrls: string[];
  identityProviders: IdentityProvider[];
  allowedOAuthFlows: Flow[];
  allowedScopes: Scope[];
  customIdentityProvider?: CustomIdentityProvider;
}

/** A client as the rest of the service uses it. */
export interface Client extends ClientSettings {
  id: string;
  account: string;
  name: string;
  /** SHA-256, hex; `undefined` for a client that keeps no secret and must use PKCE. */
  secretHash: string | undefined;
}

/** What a client has that says nothing of itself. */
export const defaultSettings: ClientSettings = {
  callbackUrls: [],
  logoutUrls: [],
  identityProviders: ['PASSWORD'],
  allowedOAuthFlows: ['code'],
  allowedScopes: ['openid', 'email', 'profile', 'phone'],
};

/** The command line, a part of this service: of no account, good for all accounts of whoever signs in. */
export const commandLine: Client = {
  id: 'ploidy-command-line',
  account: '',
  name: 'Ploidy command line',
  secretHash: undefined,
  ...defaultSettings,
  allowedScopes: ['openid', 'email', 'profile'],
  callbackUrls: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
};

/** The metadata of the identity provider by which people sign in to a client, where they can. */
export function offeredProvider({
  identityProviders,
  customIdentityProvider,
}: ClientSettings): string | undefined {
  return identityProviders.includes('SAML') ? customIdentityProvider?.metadataUrl : undefined;
}

/** Whether a client is a part of this service. Nobody keeps its name for himself: whoever asks may be anybody. */
export function isBuiltIn({ account }: Client): boolean {
  return account === '';
}

/** A row as a client. */
export function toClient(row: ClientsTable): Client {
  const settings = JSON.parse(row.settings) as ClientSettings;
  const secretHash = row.secret_hash ?? undefined;
  return { id: row.id, account: row.account_id, name: row.name, secretHash, ...settings };
}

/** A client as the API shows it: its secret never, only whether there is one. */
interface ClientView extends Omit<Client, 'secretHash' | 'account'> {
  hasSecret: boolean;
  generateSecret: boolean;
}

/** `generateSecret` asks for a secret where it is sent: whoever sends back what was read must not ask for a new one. */
export function viewOf(client: Client): ClientView {
  const { secretHash, account: _, ...shown } = client;
  return { ...shown, hasSecret: secretHash !== undefined, generateSecret: false };
}
