import type { Parsed, Result } from './admin-command.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { Grants } from './domains/oauth/index.ts';
import { SecondFactors } from './domains/second-factor/index.ts';
import { removeSecondFactor, signOut } from './domains/security/index.ts';
import { Sessions } from './domains/sessions/index.ts';

/** `users sign-out` and `second-factor remove`: commands about how somebody is signed in. */
export async function performOnSignIns(
  core: Core,
  { positionals: [subject], values: { user = '' } }: Parsed,
  { sessionLifeMs, sessionIdleMs, grantLifeMs }: Config,
): Promise<Result> {
  const { records, secrets } = core;
  const parts = {
    ...core,
    sessions: new Sessions(records, { lifeMs: sessionLifeMs, idleMs: sessionIdleMs }),
    grants: new Grants(records, grantLifeMs),
    secondFactors: new SecondFactors(records, secrets),
  };
  const perform = subject === 'second-factor' ? removeSecondFactor : signOut;
  return { ok: true, say: await perform(parts, user) };
}
