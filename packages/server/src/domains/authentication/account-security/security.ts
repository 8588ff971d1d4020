import type { Caller } from '../../../access/caller.ts';
import { conflict, notFound, Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit, AuditAction } from '../../audit/index.ts';
import { findUser } from '../../identity/users/index.ts';
import type { Grants } from '../oauth/index.ts';
import { spendTokensOf } from '../setup/index.ts';
import { lockPassword, type PasswordCheck, recordInAccounts, tooManyAttempts } from '../sign-in/index.ts';
import { hashPassword } from '../sign-in/passwords/index.ts';
import type { SecondFactors } from '../sign-in/second-factor/index.ts';
import type { Sessions } from '../sign-in/sessions/index.ts';

export interface SecurityDeps {
  records: Records;
  audit: Audit;
  sessions: Sessions;
  grants: Grants;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
}

/** Caller with network address and request. */
export interface By {
  caller: Caller;
  requestId: string;
  address: string;
}

/** Changes users make to their own sign-in. */
export class Security {
  readonly #deps: SecurityDeps;

  constructor(deps: SecurityDeps) {
    this.#deps = deps;
  }

  /** Returns the sign-in state of a user: password and second factor. */
  async state({
    userId,
  }: Caller): Promise<{ hasPassword: boolean; secondFactor: boolean; codesLeft: number }> {
    const { records, secondFactors } = this.#deps;
    const user = await records.read
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .executeTakeFirst();
    const [secondFactor, codesLeft] = await Promise.all([
      secondFactors.isOn(userId),
      secondFactors.codesLeft(userId),
    ]);
    return { hasPassword: user?.password_hash != null, secondFactor, codesLeft };
  }

  /** Changes the password. All other browsers are signed out, and grants made in them end. API keys stay. */
  async changePassword(current: string, password: string, by: By): Promise<void> {
    const before = await this.#requirePassword(current, by);
    const password_hash = await hashPassword(password);
    const { records, sessions, grants } = this.#deps;
    const { userId, via } = by.caller;
    await records.transact(async (tx) => {
      await lockPassword(tx, userId, before);
      await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
      await spendTokensOf(tx, userId, 'new-password');
      const session = idOf(via, 'session');
      await sessions.end(tx, userId, session === undefined ? {} : { allBut: session });
      await grants.revoke(tx, { user: userId, ...keptBy(via) });
      await this.#record(tx, 'security.password', by);
    });
  }

  /** Enables the second factor after a first code from the authenticator. Returns the recovery codes. */
  async turnOn(secret: string, code: string, current: string, by: By): Promise<string[]> {
    const { records, secondFactors } = this.#deps;
    if (!secondFactors.matches(secret, code)) throw wrongCode();
    const passwordHash = await this.#requirePassword(current, by);
    return records.transact(async (tx) => {
      await lockPassword(tx, by.caller.userId, passwordHash);
      const codes = await secondFactors.turnOn(tx, by.caller.userId, secret, code);
      if (!codes)
        throw conflict(
          'SECOND_FACTOR_ON',
          'The second step is already on. If you have lost its recovery codes, make new ones.',
        );
      await this.#record(tx, 'security.secondFactorOn', by);
      return codes;
    });
  }

  async turnOff(current: string, by: By): Promise<void> {
    const { records, secondFactors } = this.#deps;
    const passwordHash = await this.#requirePassword(current, by);
    await records.transact(async (tx) => {
      await lockPassword(tx, by.caller.userId, passwordHash);
      if (!(await secondFactors.turnOff(tx, by.caller.userId))) throw isOff();
      await this.#record(tx, 'security.secondFactorOff', by);
    });
  }

  async renewCodes(current: string, by: By): Promise<string[]> {
    const { records, secondFactors } = this.#deps;
    const passwordHash = await this.#requirePassword(current, by);
    return records.transact(async (tx) => {
      await lockPassword(tx, by.caller.userId, passwordHash);
      const codes = await secondFactors.renewCodes(tx, by.caller.userId);
      if (!codes) throw isOff();
      await this.#record(tx, 'security.recoveryCodes', by);
      return codes;
    });
  }

  /** Signs out of a browser and ends the grants made in it. Throws 404 for a session of another user. */
  async endSession(id: string, by: By): Promise<void> {
    const { records, sessions, grants } = this.#deps;
    await records.transact(async (tx) => {
      const ended = await sessions.end(tx, by.caller.userId, { id });
      if (ended.length === 0) throw notFound();
      await grants.revoke(tx, { session: id });
      await this.#record(tx, 'sessions.end', by);
    });
  }

  /** Ends all sessions and grants of a user, in the caller's transaction. */
  async endEverything(tx: Transaction, userId: string): Promise<void> {
    await this.#deps.sessions.end(tx, userId, {});
    await this.#deps.grants.revoke(tx, { user: userId });
  }

  /** Returns the hash of the current password after checking it. */
  async #requirePassword(password: string, { caller, address, requestId }: By): Promise<string> {
    const result = await this.#deps.passwords.verifyByUser(caller.userId, { password, address, requestId });
    if (result.kind === 'wait') throw tooManyAttempts(result.waitMs);
    if (result.kind === 'wrong')
      throw new Problem(403, 'WRONG_PASSWORD', 'Your current password is not correct.');
    return result.passwordHash;
  }

  async #record(tx: Transaction, action: AuditAction, { caller, requestId }: By): Promise<void> {
    const { userId, via } = caller;
    await recordInAccounts(this.#deps.audit, tx, { userId, via, requestId, action, outcome: 'done' });
  }
}

/** Returns the id in `session:<id>` or `grant:<id>`. */
export function idOf(via: string, kind: 'session' | 'grant'): string | undefined {
  return via.startsWith(`${kind}:`) ? via.slice(kind.length + 1) : undefined;
}

function keptBy(via: string): { butSession?: string; butGrant?: string } {
  const session = idOf(via, 'session');
  const grant = idOf(via, 'grant');
  return { ...(session && { butSession: session }), ...(grant && { butGrant: grant }) };
}

/**
 * Refuses credentials for one account with 403: an API key, a token of an application, a sign-in by the
 * account's identity provider. They must not reach into other accounts.
 */
export function requireUnrestricted(caller: Caller): void {
  if (caller.onlyAccount === undefined) return;
  const message =
    'This concerns your sign-in everywhere. Sign in with your password for it: keys, tokens and sign-ins for one account are not enough.';
  throw new Problem(403, 'ONLY_ONE_ACCOUNT', message);
}

export function wrongCode(): Problem {
  const message = 'This code is wrong. Is the clock of your device right? Try the next one.';
  return new Problem(403, 'WRONG_CODE', message);
}

function isOff(): Problem {
  return conflict('SECOND_FACTOR_OFF', 'You have not turned the second step on.');
}

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
