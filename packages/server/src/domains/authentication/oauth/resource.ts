import type { Client } from '../clients/index.ts';
import { OAuthError } from './oauth-error.ts';

/** Protected resource that tokens are asked for, and the account that it belongs to; without `resource`: this API. */
export interface Target {
  /** Empty for the command line, which acts in all accounts of its user. */
  account: string;
  resource?: string;
  /** Set for the FHIR base of a project. */
  isFhir?: true;
}

/** Returns the account of an endpoint of assistants: `{public}/{account}/mcp`. */
function accountOf(resource: string, issuer: string): string | undefined {
  const base = baseOf(issuer);
  if (!resource.startsWith(`${base}/`)) return undefined;
  return /^\/([a-z0-9][a-z0-9-]{0,31})\/mcp$/.exec(resource.slice(base.length))?.[1];
}

/** Returns the address of the service, to which the issuer adds `/v1`. */
export const baseOf = (issuer: string): string => issuer.replace(/\/v1$/, '');

/** Reports whether an indicator names this API. */
const isApi = (resource: string | undefined, issuer: string): boolean =>
  resource === undefined || resource === issuer || resource === baseOf(issuer);

/**
 * Reads the indicator of a request (RFC 8707 §2): this API, or the endpoint of assistants of the account of the client. A client that
 * registered itself gets tokens for the latter alone. Throws `invalid_target`.
 */
export function readTarget(client: Client, resource: string | undefined, issuer: string): Target {
  if (isApi(resource, issuer) && !client.registered) return { account: client.account };
  const account = resource === undefined ? undefined : accountOf(resource, issuer);
  if (resource === undefined || account === undefined)
    throw new OAuthError('invalid_target', 'resource must be the address of an endpoint of this service.');
  const fits = client.account === account || (client.registered && client.account === '');
  if (!fits) throw new OAuthError('invalid_target', 'resource belongs to another account than the client.');
  return { account, resource };
}

/**
 * Reads the FHIR base that the tokens of an app are for (SMART App Launch 2.2, `aud`): `{public}/{account}/v1/fhir/{project}`, of the
 * account of the client. Throws `invalid_target`.
 */
export function fhirTarget(client: Client, aud: string | undefined, issuer: string): Target {
  const start = `${baseOf(issuer)}/${client.account}/v1/fhir/`;
  if (aud?.startsWith(start) && /^[\w-]{1,255}\/?$/.test(aud.slice(start.length)))
    return { account: client.account, resource: aud.replace(/\/$/, ''), isFhir: true };
  throw new OAuthError(
    'invalid_target',
    'aud must be the FHIR base of a project of the account of the client.',
  );
}

/** Returns the resource of tokens for all FHIR bases of the account of a client. */
export const everyFhirBase = (client: Client, issuer: string): string =>
  `${baseOf(issuer)}/${client.account}/v1/fhir`;

/** Requires that an indicator at the token endpoint is that of the grant. Throws `invalid_target`. */
export function requireSameTarget(granted: string | null, asked: string | undefined, issuer: string): void {
  if (asked === undefined || (granted === null ? isApi(asked, issuer) : granted === asked)) return;
  throw new OAuthError('invalid_target', 'resource is not the one that the user allowed.');
}
