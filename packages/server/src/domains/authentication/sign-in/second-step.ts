import { createHash } from 'node:crypto';
import type { Records } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';

/** Time between password and code. */
const lifeMs = 10 * 60_000;
const context = 'second-step';

interface Step {
  userId: string;
  /** Mark of the password hash: a changed password ends the step. */
  passwordMark: string;
  binding: string;
  query: string;
  expiresAt: number;
}

/**
 * State between the password and the code of an authenticator: sealed in the form, bound to browser and
 * request.
 */
export class SecondStep {
  readonly #records: Records;
  readonly #secrets: Secrets;

  constructor(records: Records, secrets: Secrets) {
    this.#records = records;
    this.#secrets = secrets;
  }

  seal(user: { userId: string; passwordHash: string }, place: { binding: string; query: string }): string {
    const { userId, passwordHash } = user;
    const expiresAt = Date.now() + lifeMs;
    const step: Step = { userId, passwordMark: markOf(passwordHash), expiresAt, ...place };
    return this.#secrets.seal(JSON.stringify(step), context);
  }

  /**
   * Opens a step: its user and password hash; `undefined` for another browser or request, an expired step or
   * an old password.
   */
  async open(
    sealed: string,
    place: { binding: string | undefined; query: string },
  ): Promise<{ userId: string; passwordHash: string } | undefined> {
    const step = this.#read(sealed);
    if (!step || step.binding !== place.binding || step.query !== place.query) return undefined;
    if (step.expiresAt <= Date.now()) return undefined;
    const row = await this.#records.read
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', step.userId)
      .executeTakeFirst();
    const passwordHash = row?.password_hash;
    if (!passwordHash || markOf(passwordHash) !== step.passwordMark) return undefined;
    return { userId: step.userId, passwordHash };
  }

  #read(sealed: string): Step | undefined {
    try {
      return JSON.parse(this.#secrets.open(sealed, context)) as Step;
    } catch {
      // Altered or invalid: treated as absent.
      return undefined;
    }
  }
}

function markOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}
