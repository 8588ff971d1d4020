import { emailKey } from '../../../base/names.ts';
import { conflict } from '../../../base/problem.ts';
import { type Jobs, nobody } from '../../../platform/jobs/index.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SignInContext } from '../oauth/index.ts';
import type { Delays, Subject } from './attempts/backoff.ts';
import { type FailureJob, failureJob } from './attempts/failures.ts';
import { sourcesOf } from './attempts/sources.ts';
import type { Devices } from './devices.ts';
import type { Forms } from './forms.ts';
import { verifyPassword } from './passwords/index.ts';

/** Result of a password check. `passwordHash`: the hash it matched, for `lockPassword`. */
type PasswordResult =
  | { kind: 'right'; userId: string; email: string; passwordHash: string }
  | { kind: 'wrong' }
  | { kind: 'wait'; waitMs: number };

interface Attempt {
  password: string;
  address: string;
  requestId: string;
  /** Headers that may identify the browser of a sign-in. */
  headers?: SignInContext['headers'];
}

/**
 * Password checks of sign-ins. An unknown address, a user without a password and a wrong password have equal
 * cost and results: two durable writes and one hash.
 */
export class PasswordCheck {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #delays: Delays;
  readonly #devices: Devices;
  readonly #forms: Forms;

  constructor(records: Records, jobs: Jobs, delays: Delays, browsers: { devices: Devices; forms: Forms }) {
    this.#records = records;
    this.#jobs = jobs;
    this.#delays = delays;
    this.#devices = browsers.devices;
    this.#forms = browsers.forms;
  }

  async verifyByEmail(email: string, attempt: Attempt): Promise<PasswordResult> {
    return this.#check('email', emailKey(email), attempt);
  }

  /** Checks the password of a signed-in user, where a stolen cookie must not suffice. */
  async verifyByUser(userId: string, attempt: Attempt): Promise<PasswordResult> {
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
    // A browser of the user needs no other place: guesses of its network are none of the user's.
    const isNew = device === undefined && by === 'email';
    const sources = isNew ? sourcesOf(this.#forms.browserOf({ headers }), address) : [];
    const waitMs = await this.#delays.take([user, ...sources]);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    const right = await verifyPassword(row?.password_hash, password).catch(async (error: unknown) => {
      // No attempt was made: too many sign-ins are running.
      await this.#delays.undo([user, ...sources]);
      throw error;
    });
    if (!right || !row?.password_hash) {
      await this.failed({ user: row?.id ?? '', requestId, factor: 'password' });
      return { kind: 'wrong' };
    }
    await this.#delays.clear([user]);
    await this.#delays.undo(sources);
    return { kind: 'right', userId: row.id, email: row.email, passwordHash: row.password_hash };
  }

  /** Records the failure by a job: recording it here would take longer for existing users. */
  async failed(failure: FailureJob): Promise<void> {
    await this.#records.transact(async (tx) => {
      await this.#jobs.add(tx, {
        ...{ kind: failureJob, class: 'sign-in', whose: nobody },
        ...{ payload: { ...failure }, attemptsMax: 5 },
      });
    });
  }
}

/**
 * Requires that the checked password is still current, since checking takes long, and locks it until the
 * transaction ends. Throws 409 when it was changed.
 */
export async function lockPassword(tx: Transaction, userId: string, passwordHash: string): Promise<void> {
  const kept = await tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .where('password_hash', '=', passwordHash)
    .executeTakeFirst();
  if (kept.numUpdatedRows === 1n) return;
  throw conflict('PASSWORD_CHANGED', 'The password was changed at the same time. Sign in again.');
}
