import { emailKey } from '../../names.ts';
import type { Jobs } from '../../platform/jobs/index.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { conflict } from '../../problem.ts';
import type { SignInContext } from '../oauth/index.ts';
import { verifyPassword } from '../passwords/index.ts';
import type { Delays, Subject } from './delays.ts';
import type { Devices } from './devices.ts';
import { type FailureJob, failureJob } from './failures.ts';
import { networkOf } from './network.ts';

/** What became of a password. `passwordHash`: of which it is, for `keepPassword`. */
export type PasswordResult =
  | { kind: 'right'; userId: string; email: string; passwordHash: string }
  | { kind: 'wrong' }
  | { kind: 'wait'; waitMs: number };

interface Attempt {
  password: string;
  address: string;
  requestId: string;
  /** Where the browser of a sign-in may be known by. */
  headers?: SignInContext['headers'];
}

/**
 * Passwords of people who sign in. An address without a user, a user without a password and a wrong password cost the same work
 * and have the same answer: two durable writes and one hash.
 */
export class PasswordCheck {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #delays: Delays;
  readonly #devices: Devices;

  constructor(records: Records, jobs: Jobs, delays: Delays, devices: Devices) {
    this.#records = records;
    this.#jobs = jobs;
    this.#delays = delays;
    this.#devices = devices;
  }

  async ofEmail(email: string, attempt: Attempt): Promise<PasswordResult> {
    return this.#check('email', emailKey(email), attempt);
  }

  /** Of somebody who is signed in, before what a found cookie must not be enough for. */
  async ofUser(userId: string, attempt: Attempt): Promise<PasswordResult> {
    return this.#check('id', userId, attempt);
  }

  async #check(
    by: 'email' | 'id',
    value: string,
    { password, address, requestId, headers = {} }: Attempt,
  ): Promise<PasswordResult> {
    let query = this.#records.read
      .selectFrom('users')
      .select(['id', 'email', 'password_hash'])
      .where(by, '=', value)
      .where('type', '<>', 'client');
    if (by === 'email') query = query.where('email_claimed_by', 'is', null);
    const row = await query.executeTakeFirst();
    const device = row && this.#devices.nameIn({ headers }, row.id);
    const user: Subject =
      device === undefined ? { kind: 'user', name: value } : { kind: 'device', name: device };
    const network: Subject = { kind: 'address', name: networkOf(address) };
    const waitMs = await this.#delays.take([user, network]);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    const right = await verifyPassword(row?.password_hash, password).catch(async (error: unknown) => {
      // Nothing was tried: too many are signing in at this moment.
      await this.#delays.undo([user, network]);
      throw error;
    });
    if (!right || !row?.password_hash) {
      await this.failed({ user: row?.id ?? '', requestId, factor: 'password' });
      return { kind: 'wrong' };
    }
    await this.#delays.clear([user]);
    await this.#delays.undo([network]);
    return { kind: 'right', userId: row.id, email: row.email, passwordHash: row.password_hash };
  }

  /** Tells the accounts of the user later: to tell them now would take longer for who exists. */
  async failed(failure: FailureJob): Promise<void> {
    await this.#records.transact(async (tx) => {
      await this.#jobs.add(tx, { kind: failureJob, payload: { ...failure }, attemptsMax: 5 });
    });
  }
}

/**
 * What a right password lets happen, happens only while it still is the password: checking takes long enough for it to be changed in
 * between. Nobody changes it before the transaction ends. Problem 409 when somebody has.
 */
export async function keepPassword(tx: Transaction, userId: string, passwordHash: string): Promise<void> {
  const kept = await tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .where('password_hash', '=', passwordHash)
    .executeTakeFirst();
  if (kept.numUpdatedRows === 1n) return;
  throw conflict('PASSWORD_CHANGED', 'The password was changed at the same time. Sign in again.');
}
