import type { Client } from '../clients/index.ts';
import { OAuthError } from './oauth-error.ts';

/** They decide the claims inside the id token, so they mean nothing without one (specification, rules for /oauth/authorize). */
const claimScopes = ['email', 'profile', 'phone'];

/**
 * The scopes of a request: those asked for, or all of the client that mean something when none is. `invalid_scope` for one that the client may not
 * have, and for a claim scope without `openid`.
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

/** What of a granted scope the client may still have; without `openid` claim scopes mean nothing. */
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

/** RFC 6749 §5.2: a description holds printable ASCII without `"` and `\`. */
function printable(text: string): string {
  return text.slice(0, 60).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
