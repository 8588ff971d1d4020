import { Problem } from '../problem.ts';
import type { Caller } from './caller.ts';

/**
 * The account that a sign-in through its identity provider, a key that was made in one, or a token of one of its clients, is good for. API
 * keys that a person made himself are his own, though each works in one account: what is his everywhere he may do with any of them
 * (docs/clarifications.md).
 */
export function onlyAccountOf(caller: Caller): string | undefined {
  return caller.givenBy;
}

/** Problem 403 for a token of an account's client: what it would make outlasts the token, the consent and the client. */
export function refuseApplication(caller: Caller): void {
  if (onlyAccountOf(caller) === undefined || !caller.via.startsWith('grant:')) return;
  const message =
    'An application cannot make API keys, which would outlast it. Sign in, and make the key yourself.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/** Problem 403 for a credential that an account gave out, where something of the person beyond that account would change. */
export function refuseOneAccount(caller: Caller): void {
  if (onlyAccountOf(caller) === undefined) return;
  const message =
    'This reaches beyond the account that you are signed in to. Sign in with your password for it, or use an API key that you made so.';
  throw new Problem(403, 'ONLY_ONE_ACCOUNT', message);
}
