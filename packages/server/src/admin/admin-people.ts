import { isIPv6 } from 'node:net';
import type { Core } from '../app/core.ts';
import { Address } from '../app/start/address.ts';
import type { Config } from '../config/config.ts';
import { removeSecondFactor, signOut } from '../domains/authentication/account-security/index.ts';
import { Grants } from '../domains/authentication/oauth/index.ts';
import { Admin } from '../domains/authentication/setup/index.ts';
import { SecondFactors } from '../domains/authentication/sign-in/second-factor/index.ts';
import { Sessions } from '../domains/authentication/sign-in/sessions/index.ts';
import type { Parsed, Result } from './admin-arguments.ts';

/** Runs commands about accounts and users, and the check of the audit log. */
export async function perform(core: Core, parsed: Parsed, config: Config): Promise<Result> {
  const { positionals, values } = parsed;
  const { email = '', account = '', user = '', owner = '', name, group = 'Users', days = '365' } = values;
  const admin = new Admin(core);
  const [subject, verb] = positionals;
  if (verb === 'owner') {
    const { changeOwner } = await import('../domains/identity/members/index.ts');
    const { endCredentialsIn } = await import('../app/left-account.ts');
    return {
      ok: true,
      say: { ...(await changeOwner({ ...core, onEnd: endCredentialsIn }, { account, owner })) },
    };
  }
  if (subject === 'clients') {
    const { setFirstParty } = await import('../domains/authentication/clients/index.ts');
    return { ok: true, say: await setFirstParty(core, values.client ?? '', !values.off) };
  }
  if (verb === 'sign-out' || subject === 'second-factor') {
    return performOnSignIns(core, parsed, config);
  }
  if (subject === 'accounts') {
    return {
      ok: true,
      say: await admin.addAccount({ name: name ?? '', owner, ...(account && { id: account }) }),
    };
  }
  if (subject === 'users') {
    const made = await admin.addUser({ email, account, group, ...(name !== undefined && { name }) });
    const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
    const address = new Address(config).listening(`http://${host}:${config.port}`);
    return { ok: true, say: { id: made.id, signInUrl: `${address}/v1/set-up/password?token=${made.token}` } };
  }
  if (subject === 'keys') {
    const key = await admin.addKey({
      user,
      account,
      name: name ?? 'Made on the host',
      expireInDays: Number(days),
    });
    return { ok: true, say: { key } };
  }
  const reports = await admin.verifyAudit();
  const say = Object.fromEntries(
    reports.map(({ account: id, events, brokenAt }) => [
      id,
      brokenAt === undefined ? `${events} events, whole` : `BROKEN at event ${brokenAt}`,
    ]),
  );
  return { ok: reports.every(({ brokenAt }) => brokenAt === undefined), say };
}

/** Runs `users sign-out` and `second-factor remove`. */
async function performOnSignIns(
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
  const run = subject === 'second-factor' ? removeSecondFactor : signOut;
  return { ok: true, say: await run(deps, user) };
}
