import { conflict, Problem } from '../../problem.ts';
import { tellAccounts } from '../sign-in/index.ts';
import { findUser } from '../users/index.ts';
import type { SecurityParts } from './security.ts';

/**
 * For whoever runs the service, when somebody has lost his authenticator and his recovery codes: takes the second step away, and
 * ends what was signed in, because nobody knows who has the device now. Password and API keys stay.
 */
export async function removeSecondFactor(
  parts: Omit<SecurityParts, 'passwords'>,
  idOrEmail: string,
): Promise<{ user: string; sessionsEnded: number }> {
  const { records, audit, sessions, grants, secondFactors } = parts;
  return records.transact(async (tx) => {
    const user = await findUser(tx, idOrEmail);
    if (!user) throw new Problem(404, 'NOT_FOUND', `There is no user ${idOrEmail}.`);
    if (!(await secondFactors.turnOff(tx, user.id)))
      throw conflict('SECOND_FACTOR_OFF', `${idOrEmail} has not turned the second step on.`);
    const ended = await sessions.end(tx, user.id, {});
    await grants.revoke(tx, { user: user.id });
    const event = { userId: user.id, via: 'host', action: 'admin.removeSecondFactor' };
    const details = { sessions: ended.length };
    await tellAccounts(audit, tx, { ...event, outcome: 'done', details });
    return { user: user.id, sessionsEnded: ended.length };
  });
}
