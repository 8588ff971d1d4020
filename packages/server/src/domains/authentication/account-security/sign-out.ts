import { Problem } from '../../../base/problem.ts';
import { findNamesakes, lockUser } from '../../identity/users/index.ts';
import { revokeKeysOf } from '../keys/index.ts';
import { recordInAccounts } from '../sign-in/index.ts';
import type { SecurityDeps } from './security.ts';

type SignedOut = {
  /** Ids, separated by spaces. */
  user: string;
  sessionsEnded: number;
  applicationsSignedOut: number;
  keysRevoked: number;
};

/**
 * Ends all sessions, grants and keys of a user everywhere, when a person leaves or has lost a device.
 * Memberships and password stay. An address means all users who have it, those of identity providers
 * included.
 */
export async function signOut(
  { records, audit, sessions, grants }: Pick<SecurityDeps, 'records' | 'audit' | 'sessions' | 'grants'>,
  idOrEmail: string,
): Promise<SignedOut> {
  return records.transact(async (tx) => {
    const users = await findNamesakes(tx, idOrEmail);
    if (users.length === 0) throw new Problem(404, 'NOT_FOUND', `There is no user ${idOrEmail}.`);
    const ended: SignedOut[] = [];
    for (const { id } of users) {
      // Locks first: a key made concurrently is then visible, or is not made.
      await lockUser(tx, id);
      const sessionsEnded = (await sessions.end(tx, id, {})).length;
      const applicationsSignedOut = await grants.revoke(tx, { user: id });
      const keysRevoked = await revokeKeysOf(tx, id);
      await records.announce(tx, `user:${id}`);
      ended.push({ user: id, sessionsEnded, applicationsSignedOut, keysRevoked });
    }
    for (const { user, sessionsEnded, applicationsSignedOut, keysRevoked } of ended) {
      const details = { sessions: sessionsEnded, grants: applicationsSignedOut, keys: keysRevoked };
      const event = { userId: user, via: 'host', action: 'admin.signOut' as const, details };
      await recordInAccounts(audit, tx, { ...event, outcome: 'done' });
    }
    const total = (count: Exclude<keyof SignedOut, 'user'>) =>
      ended.reduce((sum, one) => sum + one[count], 0);
    return {
      user: users.map(({ id }) => id).join(' '),
      sessionsEnded: total('sessionsEnded'),
      applicationsSignedOut: total('applicationsSignedOut'),
      keysRevoked: total('keysRevoked'),
    };
  });
}
