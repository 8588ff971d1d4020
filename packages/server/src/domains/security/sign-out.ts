import { Problem } from '../../problem.ts';
import { revokeKeysOf } from '../keys/index.ts';
import { tellAccounts } from '../sign-in/index.ts';
import { findUser } from '../users/index.ts';
import type { SecurityParts } from './security.ts';

/**
 * For whoever runs the service, when somebody leaves or his devices are lost: ends all that speaks for him, everywhere. What he
 * belongs to stays, and so does his password.
 */
export async function signOut(
  { records, audit, sessions, grants }: Pick<SecurityParts, 'records' | 'audit' | 'sessions' | 'grants'>,
  idOrEmail: string,
): Promise<{ user: string; sessionsEnded: number; applicationsSignedOut: number; keysRevoked: number }> {
  return records.transact(async (tx) => {
    const user = await findUser(tx, idOrEmail);
    if (!user) throw new Problem(404, 'NOT_FOUND', `There is no user ${idOrEmail}.`);
    const sessionsEnded = (await sessions.end(tx, user.id, {})).length;
    const applicationsSignedOut = await grants.revoke(tx, { user: user.id });
    const keysRevoked = await revokeKeysOf(tx, user.id);
    await records.announce(tx, `user:${user.id}`);
    const details = { sessions: sessionsEnded, grants: applicationsSignedOut, keys: keysRevoked };
    const event = { userId: user.id, via: 'host', action: 'admin.signOut', details };
    await tellAccounts(audit, tx, { ...event, outcome: 'done' });
    return { user: user.id, sessionsEnded, applicationsSignedOut, keysRevoked };
  });
}
