import { compilePolicy, intersectPolicies, mergePolicies, type Policy } from '@ploidy/policy';
import { Caller } from './caller.ts';

/**
 * Returns the seen user as the caller of requests, with the rights to read that both users have. A right to real
 * values includes masked ones. Returns nothing if one of the users is no member.
 */
export function inView(viewer: Caller, seen: Caller, account: string): Caller | undefined {
  const policies = [viewer, seen].map((caller) => caller.accounts.get(account)?.policy);
  const [own, theirs] = policies.map((policy) => policy && readingOf(policy));
  if (!own || !theirs) return undefined;
  const policy = intersectPolicies(own, theirs);
  return new Caller({
    ...seen,
    person: viewer.person,
    via: viewer.via,
    viewer: viewer.userId,
    keyAccount: undefined,
    onlyAccount: account,
    accounts: new Map([[account, { account, policy, compiled: compilePolicy(policy) }]]),
  });
}

/** Keeps the rights to read. */
function readingOf({ rules }: Policy): Policy {
  const under = (operation: string, name: string): Policy => {
    const grant = rules[operation];
    return { rules: grant === undefined ? {} : { [name]: grant } };
  };
  return mergePolicies([
    under('readData', 'readData'),
    under('readData', 'readMaskedData'),
    under('readMaskedData', 'readMaskedData'),
  ]);
}
