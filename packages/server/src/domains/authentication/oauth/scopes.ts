import type { Client } from '../clients/index.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Scopes of claims in the id token, without effect unless there is one (specification, rules for
 * /oauth/authorize).
 */
const claimScopes = ['email', 'profile', 'phone'];

/**
 * Returns the scopes of a request, by default all effective ones of the client. Throws `invalid_scope` for
 * one not allowed, and for a claim scope without `openid`.
 */
export function readScope(client: Client, asked: string | undefined): string {
  const words = [...new Set((asked ?? '').split(' ').filter(Boolean))];
  if (words.length === 0) return meaningful(client.allowedScopes).join(' ');
  const allowed: readonly string[] = client.allowedScopes;
  const unknown = words.find((word) => !allowed.includes(word));
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
  return meaningful(granted.split(' ').filter((word) => allowed.includes(word))).join(' ');
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
