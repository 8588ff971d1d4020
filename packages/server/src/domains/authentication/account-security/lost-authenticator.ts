import { conflict, Problem } from '../../../base/problem.ts';
import { findUser } from '../../identity/users/index.ts';
import { recordInAccounts } from '../sign-in/index.ts';
import type { SecurityDeps } from './security.ts';

/**
 * Removes the second factor of a user who has lost the authenticator and the recovery codes. Ends all
 * sessions and grants too, since the device may be in other hands. Password and API keys stay.
 */
export async function removeSecondFactor(
  deps: Omit<SecurityDeps, 'passwords'>,
  idOrEmail: string,
): Promise<{ user: string; sessionsEnded: number }> {
  const { records, audit, sessions, grants, secondFactors } = deps;
  return records.transact(async (tx) => {
    const user = await findUser(tx, idOrEmail);
    if (!user) throw new Problem(404, 'NOT_FOUND', `There is no user ${idOrEmail}.`);
    if (!(await secondFactors.turnOff(tx, user.id)))
      throw conflict('SECOND_FACTOR_OFF', `${idOrEmail} has not turned the second step on.`);
    const ended = await sessions.end(tx, user.id, {});
    await grants.revoke(tx, { user: user.id });
    const event = { userId: user.id, via: 'host', action: 'admin.removeSecondFactor' as const };
    const details = { sessions: ended.length };
    await recordInAccounts(audit, tx, { ...event, outcome: 'done', details });
    return { user: user.id, sessionsEnded: ended.length };
  });
}
