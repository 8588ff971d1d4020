import { Problem } from '../../problem.ts';
import { revokeKeysOf } from '../keys/index.ts';
import { tellAccounts } from '../sign-in/index.ts';
import { findNamesakes, lockUser } from '../users/index.ts';
import type { SecurityParts } from './security.ts';

type SignedOut = {
  /** Ids, separated by blanks. */
  user: string;
  sessionsEnded: number;
  applicationsSignedOut: number;
  keysRevoked: number;
};

/**
 * For whoever runs the service, when somebody leaves or his devices are lost: ends all that speaks for him, everywhere. What he
 * belongs to stays, and so does his password. An address means all who have it, for the providers of accounts too.
 */
export async function signOut(
  { records, audit, sessions, grants }: Pick<SecurityParts, 'records' | 'audit' | 'sessions' | 'grants'>,
  idOrEmail: string,
): Promise<SignedOut> {
  return records.transact(async (tx) => {
    const users = await findNamesakes(tx, idOrEmail);
    if (users.length === 0) throw new Problem(404, 'NOT_FOUND', `There is no user ${idOrEmail}.`);
    const ended: SignedOut[] = [];
    for (const { id } of users) {
      // Before anything is looked for: a key that he makes at this moment is there by then, or is not made.
      await lockUser(tx, id);
      const sessionsEnded = (await sessions.end(tx, id, {})).length;
      const applicationsSignedOut = await grants.revoke(tx, { user: id });
      const keysRevoked = await revokeKeysOf(tx, id);
      await records.announce(tx, `user:${id}`);
      ended.push({ user: id, sessionsEnded, applicationsSignedOut, keysRevoked });
    }
    for (const { user, sessionsEnded, applicationsSignedOut, keysRevoked } of ended) {
      const details = { sessions: sessionsEnded, grants: applicationsSignedOut, keys: keysRevoked };
      const event = { userId: user, via: 'host', action: 'admin.signOut', details };
      await tellAccounts(audit, tx, { ...event, outcome: 'done' });
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
