import { Problem } from '../base/problem.ts';
import type { Caller } from './caller.ts';

/**
 * Returns the only account of a credential: a sign-in by its identity provider, a provided key, or a client's
 * token. API keys that a user created act for the user everywhere (docs/api/sign-in.md).
 */
export function onlyAccountOf(caller: Caller): string | undefined {
  return caller.givenBy;
}

/**
 * Throws Problem 403 for a token of an account's client: created things would outlast token, consent and
 * client.
 */
export function refuseApplication(caller: Caller): void {
  if (onlyAccountOf(caller) === undefined || !caller.via.startsWith('grant:') || caller.isFirstParty) return;
  const message =
    'An application cannot make API keys, which would outlast it. Sign in, and make the key yourself.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/** Throws Problem 403 for a credential of one account, except of a first-party client, where the profile would change. */
export function refuseOtherProfile(caller: Caller): void {
  if (!caller.isFirstParty) refuseOneAccount(caller);
}

/** Throws Problem 403 for a credential of one account where user data beyond that account would change. */
export function refuseOneAccount(caller: Caller): void {
  if (onlyAccountOf(caller) === undefined) return;
  const message =
    'This reaches beyond the account that you are signed in to. Sign in with your password for it, or use an API key that you made so.';
  throw new Problem(403, 'ONLY_ONE_ACCOUNT', message);
}
