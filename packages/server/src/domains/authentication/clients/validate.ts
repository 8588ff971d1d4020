import { smartScopeIn } from '../../../access/smart-scopes.ts';
import { invalidInput, type ProblemDetail } from '../../../base/problem.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { metadataFault, redirectFault } from './addresses.ts';
import type { ClientSettings } from './client.ts';

/** Profile fields that an identity provider may fill. */
const profileFields = new Set(['email', 'familyName', 'givenName', 'name', 'preferredUsername', 'phone']);

/** Checks addresses and combinations, which a schema cannot. Throws 400 with every error. */
export function requireValid(
  settings: ClientSettings,
  hasSecret: boolean,
  outbound: Pick<Outbound, 'faultIn'>,
): void {
  const faults: ProblemDetail[] = [
    ...addressFaults('callbackUrls', settings.callbackUrls),
    ...addressFaults('logoutUrls', settings.logoutUrls),
    ...providerFaults(settings, outbound),
  ];
  const redirects = settings.allowedOAuthFlows.some((flow) => flow !== 'client_credentials');
  if (redirects && settings.callbackUrls.length === 0)
    faults.push({ path: 'body/callbackUrls', message: 'must name at least one address for these flows' });
  const hasKeys = settings.jwks !== undefined || settings.jwksUrl !== undefined;
  if (settings.allowedOAuthFlows.includes('client_credentials') && !hasSecret && !hasKeys)
    faults.push({ path: 'body/generateSecret', message: 'must be true for the flow client_credentials' });
  faults.push(...keyFaults(settings, outbound), ...scopeFaults(settings));
  if (faults.length > 0) throw invalidInput(faults);
}

/** Algorithms that SMART requires of assertions, by the type of the key. */
const keyTypes = new Set(['RSA', 'EC']);

function keyFaults({ jwks, jwksUrl }: ClientSettings, outbound: Pick<Outbound, 'faultIn'>): ProblemDetail[] {
  const isPublic = (key: Record<string, unknown>) =>
    keyTypes.has(String(key['kty'])) && typeof key['kid'] === 'string' && !('d' in key);
  if (jwks && !jwks.keys.every(isPublic))
    return [
      { path: 'body/jwks', message: 'must have public keys of RSA or EC, each with kid and without d' },
    ];
  const fault = jwksUrl === undefined ? undefined : (metadataFault(jwksUrl) ?? outbound.faultIn(jwksUrl));
  return fault === undefined ? [] : [{ path: 'body/jwksUrl', message: fault }];
}

function scopeFaults({ allowedScopes }: ClientSettings): ProblemDetail[] {
  return allowedScopes.flatMap((scope, index) =>
    !scope.includes('/') || smartScopeIn(scope)
      ? []
      : [
          {
            path: `body/allowedScopes/${index}`,
            message: 'must be as patient/*.rs, user/*.rs or system/Observation.rs',
          },
        ],
  );
}

function addressFaults(field: string, addresses: string[]): ProblemDetail[] {
  return addresses.flatMap((address, index) => {
    const message = redirectFault(address);
    return message ? [{ path: `body/${field}/${index}`, message }] : [];
  });
}

function providerFaults(
  { identityProviders, customIdentityProvider }: ClientSettings,
  outbound: Pick<Outbound, 'faultIn'>,
): ProblemDetail[] {
  const path = 'body/customIdentityProvider';
  if (!customIdentityProvider) {
    const missing = identityProviders.includes('SAML');
    return missing ? [{ path: `${path}/metadataUrl`, message: 'must be given for SAML' }] : [];
  }
  const { metadataUrl } = customIdentityProvider;
  const message = metadataFault(metadataUrl) ?? outbound.faultIn(metadataUrl);
  return [
    ...(message ? [{ path: `${path}/metadataUrl`, message }] : []),
    ...customIdentityProvider.attributeMapping.flatMap((entry, index) => {
      const field = mappedField(entry);
      return field
        ? []
        : [{ path: `${path}/attributeMapping/${index}`, message: 'must be samlAttribute=profileField' }];
    }),
    ...(customIdentityProvider.groupMapping ?? []).flatMap((entry, index) =>
      mappedGroup(entry)
        ? []
        : [{ path: `${path}/groupMapping/${index}`, message: 'must be groupOfProvider=group' }],
    ),
  ];
}

/** Parses `groupOfProvider=group`. Groups of directories have names such as `CN=Doctors,OU=Clinic`: the last sign counts. */
export function mappedGroup(entry: string): { provided: string; group: string } | undefined {
  const at = entry.lastIndexOf('=');
  const [provided, group] = [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim()];
  return at < 0 || provided === '' || group === '' ? undefined : { provided, group };
}

/** Parses `mail=email`, `mail:email` or bare `email`; `undefined` for an unknown profile field. */
export function mappedField(entry: string): { attribute: string; field: string } | undefined {
  // Attribute names are often URIs (`urn:oid:…`), so the last separator counts.
  const at = entry.includes('=') ? entry.lastIndexOf('=') : entry.lastIndexOf(':');
  const [attribute, field] = at < 0 ? [entry, entry] : [entry.slice(0, at), entry.slice(at + 1)];
  if (attribute.trim() === '') return undefined;
  if (profileFields.has(field)) return { attribute: attribute.trim(), field };
  // Existing configurations also use the reverse order: `email=mail`.
  return profileFields.has(attribute) && field.trim() !== ''
    ? { attribute: field.trim(), field: attribute }
    : undefined;
}
