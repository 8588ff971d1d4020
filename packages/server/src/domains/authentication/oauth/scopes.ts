import { coversScope, launchPatient, smartScopeIn, smartText } from '../../../access/smart-scopes.ts';
import type { Client } from '../clients/index.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Scopes of claims in the id token, without effect unless there is one (specification, rules for
 * /oauth/authorize).
 */
const claimScopes = ['email', 'profile', 'phone'];

/**
 * Returns the scopes of a request, by default all effective ones of the client but those of SMART. Throws `invalid_scope` for one
 * not allowed, and for a claim scope without `openid`. Of SMART's scopes those for `who` are granted that the client may have:
 * SMART asks to grant less rather than to refuse.
 */
export function readScope(
  client: Client,
  asked: string | undefined,
  who: 'user' | 'system' = 'user',
): string {
  const all = [...new Set((asked ?? '').split(' ').filter(Boolean))];
  if (all.length === 0)
    return meaningful(client.allowedScopes.filter((word) => !word.includes('/'))).join(' ');
  const smart = all.filter((word) => ofSmart.test(word));
  const granted = smart.flatMap((word) => grantedSmart(client, word, who) ?? []);
  if (smart.some((word) => smartScopeIn(word)) && granted.length === 0)
    throw new OAuthError(
      'invalid_scope',
      `This client may have none of the scopes for resources, at the level ${who}/.`,
    );
  if (granted.length > 0 && who === 'user' && smart.includes(launchPatient)) granted.push(launchPatient);
  const words =
    granted.length === 0 ? all : [...all.filter((word) => !smart.includes(word)), ...new Set(granted)];
  const allowed: readonly string[] = client.allowedScopes;
  const unknown = words.find((word) => !allowed.includes(word) && !granted.includes(word));
  if (unknown !== undefined)
    throw new OAuthError('invalid_scope', `This client may not ask for the scope ${printable(unknown)}.`);
  const alone = words.find((word) => claimScopes.includes(word));
  if (alone !== undefined && !words.includes('openid'))
    throw new OAuthError('invalid_scope', `The scope ${alone} can be requested only together with openid.`);
  return words.join(' ');
}

/**
 * Narrows a granted scope to what the client may still have; without `openid` claim scopes have no effect.
 */
export function stillAllowed(client: Client, granted: string): string {
  const allowed: readonly string[] = client.allowedScopes;
  const isAllowed = (word: string) =>
    allowed.includes(word) || word === launchPatient || isCovered(client, word);
  return meaningful(granted.split(' ').filter(isAllowed)).join(' ');
}

/** Scopes that SMART defines; of launches, that of a patient is granted. */
const ofSmart = /^(?:launch|launch\/.*|fhirUser|online_access|(?:patient|user|system)\/.*)$/;

/** Returns a scope of SMART as it is granted; undefined for one that is not. */
function grantedSmart(client: Client, word: string, who: 'user' | 'system'): string | undefined {
  const scope = smartScopeIn(word);
  const isForThem = scope && (scope.level === 'system') === (who === 'system');
  return isForThem && isCovered(client, word) ? smartText(scope) : undefined;
}

function isCovered(client: Client, word: string): boolean {
  const scope = smartScopeIn(word);
  return (
    scope !== undefined &&
    client.allowedScopes.some((one) => {
      const allowed = smartScopeIn(one);
      return allowed !== undefined && coversScope(allowed, scope);
    })
  );
}

function meaningful(words: readonly string[]): readonly string[] {
  return words.includes('openid') ? words : words.filter((word) => !claimScopes.includes(word));
}

export function hasScope(scope: string, word: string): boolean {
  return scope.split(' ').includes(word);
}

/** Keeps printable ASCII without `"` and `\`, as RFC 6749 §5.2 limits descriptions. */
function printable(text: string): string {
  return text.slice(0, 60).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
