import type { Caller } from '../../access/caller.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import type { Audit } from '../audit/index.ts';
import type { Grants } from '../oauth/index.ts';
import { hashPassword } from '../passwords/index.ts';
import type { SecondFactors } from '../second-factor/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { spendTokensOf } from '../setup/index.ts';
import { keepPassword, type PasswordCheck, tellAccounts, tooManyAttempts } from '../sign-in/index.ts';

export interface SecurityParts {
  records: Records;
  audit: Audit;
  sessions: Sessions;
  grants: Grants;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
}

/** Who acts, and from where. */
export interface By {
  caller: Caller;
  requestId: string;
  address: string;
}

/** How somebody signs in: what he may change of it himself. */
export class Security {
  readonly #parts: SecurityParts;

  constructor(parts: SecurityParts) {
    this.#parts = parts;
  }

  /** Whether he has a password and a second factor. */
  async state({
    userId,
  }: Caller): Promise<{ hasPassword: boolean; secondFactor: boolean; codesLeft: number }> {
    const { records, secondFactors } = this.#parts;
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

  /** Changes the password. Every other browser is signed out, and what was granted elsewhere ends. API keys stay. */
  async changePassword(present: string, password: string, by: By): Promise<void> {
    const before = await this.#requirePassword(present, by);
    const password_hash = await hashPassword(password);
    const { records, sessions, grants } = this.#parts;
    const { userId, via } = by.caller;
    await records.transact(async (tx) => {
      await keepPassword(tx, userId, before);
      await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
      await spendTokensOf(tx, userId, 'new-password');
      const session = idOf(via, 'session');
      await sessions.end(tx, userId, session === undefined ? {} : { allBut: session });
      await grants.revoke(tx, { user: userId, ...keptBy(via) });
      await this.#tell(tx, 'security.password', by);
    });
  }

  /** Turns the second factor on, with a code that shows that the authenticator has the secret. Answers the recovery codes. */
  async turnOn(secret: string, code: string, present: string, by: By): Promise<string[]> {
    const { records, secondFactors } = this.#parts;
    if (!secondFactors.matches(secret, code)) throw wrongCode();
    const passwordHash = await this.#requirePassword(present, by);
    return records.transact(async (tx) => {
      await keepPassword(tx, by.caller.userId, passwordHash);
      const codes = await secondFactors.turnOn(tx, by.caller.userId, secret, code);
      if (!codes)
        throw conflict(
          'SECOND_FACTOR_ON',
          'You have turned the second step on already. If you have not kept its recovery codes, make new ones.',
        );
      await this.#tell(tx, 'security.secondFactorOn', by);
      return codes;
    });
  }

  async turnOff(present: string, by: By): Promise<void> {
    const { records, secondFactors } = this.#parts;
    const passwordHash = await this.#requirePassword(present, by);
    await records.transact(async (tx) => {
      await keepPassword(tx, by.caller.userId, passwordHash);
      if (!(await secondFactors.turnOff(tx, by.caller.userId))) throw isOff();
      await this.#tell(tx, 'security.secondFactorOff', by);
    });
  }

  async renewCodes(present: string, by: By): Promise<string[]> {
    const { records, secondFactors } = this.#parts;
    const passwordHash = await this.#requirePassword(present, by);
    return records.transact(async (tx) => {
      await keepPassword(tx, by.caller.userId, passwordHash);
      const codes = await secondFactors.renewCodes(tx, by.caller.userId);
      if (!codes) throw isOff();
      await this.#tell(tx, 'security.recoveryCodes', by);
      return codes;
    });
  }

  /** Signs out of a browser; what was granted in it ends. Problem 404 for what is no session of his. */
  async endSession(id: string, by: By): Promise<void> {
    const { records, sessions, grants } = this.#parts;
    await records.transact(async (tx) => {
      const ended = await sessions.end(tx, by.caller.userId, { id });
      if (ended.length === 0) throw notFound();
      await grants.revoke(tx, { session: id });
      await this.#tell(tx, 'sessions.end', by);
    });
  }

  /** In the caller's transaction: nothing that was signed in before is any more. */
  async endEverything(tx: Transaction, userId: string): Promise<void> {
    await this.#parts.sessions.end(tx, userId, {});
    await this.#parts.grants.revoke(tx, { user: userId });
  }

  /** The hash of the password, which has to be right. */
  async #requirePassword(password: string, { caller, address, requestId }: By): Promise<string> {
    const result = await this.#parts.passwords.ofUser(caller.userId, { password, address, requestId });
    if (result.kind === 'wait') throw tooManyAttempts(result.waitMs);
    if (result.kind === 'wrong')
      throw new Problem(403, 'WRONG_PASSWORD', 'Your present password is another one.');
    return result.passwordHash;
  }

  async #tell(tx: Transaction, action: string, { caller, requestId }: By): Promise<void> {
    const { userId, via } = caller;
    await tellAccounts(this.#parts.audit, tx, { userId, via, requestId, action, outcome: 'done' });
  }
}

/** The id in `session:<id>` or `grant:<id>`. */
export function idOf(via: string, kind: 'session' | 'grant'): string | undefined {
  return via.startsWith(`${kind}:`) ? via.slice(kind.length + 1) : undefined;
}

function keptBy(via: string): { butSession?: string; butGrant?: string } {
  const session = idOf(via, 'session');
  const grant = idOf(via, 'grant');
  return { ...(session && { butSession: session }), ...(grant && { butGrant: grant }) };
}

/**
 * A credential that is good for one account (an API key, a token of an application, a sign-in through the account's identity
 * provider) opens nothing that would reach into other accounts. Problem 403.
 */
export function requireWhole(caller: Caller): void {
  if (caller.onlyAccount === undefined) return;
  const message =
    'This is about how you sign in everywhere. Sign in with your password for it: keys, tokens and sign-ins for one account do not do.';
  throw new Problem(403, 'ONLY_ONE_ACCOUNT', message);
}

export function wrongCode(): Problem {
  const message = 'This code is wrong. Is the clock of your device right? Try the next one.';
  return new Problem(403, 'WRONG_CODE', message);
}

function isOff(): Problem {
  return conflict('SECOND_FACTOR_OFF', 'You have not turned the second step on.');
}
