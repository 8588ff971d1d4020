import { compilePolicy, type Policy } from '@ploidy/policy';
import { Caller } from './caller.ts';

/** Returns a caller under these rules in one account. */
export function callerWith(account: string, policy: Policy): Caller {
  return new Caller({
    userId: 'me',
    email: 'me@test',
    via: 'test',
    keyAccount: undefined,
    accounts: new Map([[account, { account, policy, compiled: compilePolicy(policy) }]]),
  });
}
