import type { Core } from '../app/core.ts';
import type { Config } from '../config/config.ts';
import { removeSecondFactor, signOut } from '../domains/authentication/account-security/index.ts';
import { Grants } from '../domains/authentication/oauth/index.ts';
import { SecondFactors } from '../domains/authentication/sign-in/second-factor/index.ts';
import { Sessions } from '../domains/authentication/sign-in/sessions/index.ts';
import type { Parsed, Result } from './admin-arguments.ts';

/** Runs `users sign-out` and `second-factor remove`. */
export async function performOnSignIns(
  core: Core,
  { positionals: [subject], values: { user = '' } }: Parsed,
  { sessionLifeMs, sessionIdleMs, grantLifeMs }: Config,
): Promise<Result> {
  const { records, secrets } = core;
  const deps = {
    ...core,
    sessions: new Sessions(records, { lifeMs: sessionLifeMs, idleMs: sessionIdleMs }),
    grants: new Grants(records, grantLifeMs),
    secondFactors: new SecondFactors(records, secrets),
  };
  const perform = subject === 'second-factor' ? removeSecondFactor : signOut;
  return { ok: true, say: await perform(deps, user) };
}
