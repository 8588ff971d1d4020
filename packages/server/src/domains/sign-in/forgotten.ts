import { createHmac } from 'node:crypto';
import { newId } from '../../ids.ts';
import { emailKey } from '../../names.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/index.ts';
import { type Mail, MailError } from '../../platform/mail/mail.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records } from '../../platform/records/records.ts';
import type { SealedColumn } from '../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { findToken, spendTokensOf, storeToken } from '../setup/index.ts';
import { findNamesakes } from '../users/index.ts';
import { passwordLetter } from './letter.ts';

const kind = 'forgotten-password-mail';
const contextOf = (id: string): string => `${kind}:${id}`;

/** Of the jobs those with an address. */
export const sealedAddresses: SealedColumn = {
  table: 'jobs',
  column: 'payload',
  key: 'id',
  renew: (secrets, text) => {
    const payload = JSON.parse(text) as Record<string, string>;
    const { id, address } = payload;
    if (id === undefined || address === undefined) return text;
    const renewed = secrets.renew(address, contextOf(id));
    return renewed === address ? text : JSON.stringify({ ...payload, address: renewed });
  },
};

const linkLifeMs = 3_600_000;
/** With waits of seconds to minutes: about as long as the link works. */
const attemptsMax = 8;

export interface ForgottenParts {
  records: Records;
  secrets: Secrets;
  jobs: Jobs;
  mail: Mail;
  log: PlatformLog;
  publicUrl: () => string;
}

/**
 * Links for forgotten passwords. The request writes one job down, whether or not the address belongs to a user: the job finds that out,
 * so neither the answer nor its time tells.
 */
export class ForgottenPasswords {
  readonly #parts: ForgottenParts;
  readonly #linkKey: Buffer;

  constructor(parts: ForgottenParts) {
    this.#parts = parts;
    this.#linkKey = parts.secrets.derive('password-links');
  }

  async request(email: string): Promise<void> {
    const { records, jobs, secrets } = this.#parts;
    const id = newId();
    // Sealed: what somebody typed may be the address of anybody.
    const payload = { id, address: secrets.seal(emailKey(email), contextOf(id)) };
    await records.transact(async (tx) => {
      await jobs.add(tx, { kind, payload, attemptsMax });
    });
  }

  readonly job: JobHandler = {
    kind,
    concurrencyMax: 2,
    run: (run) => this.#send(run),
    onExhausted: async (_tx, job, error) => {
      this.#parts.log.warn(
        { err: error, id: job.payload['id'] },
        'a mail for a forgotten password did not go out',
      );
    },
  };

  async #send(run: JobRun): Promise<void> {
    const { records, secrets, mail, log, publicUrl } = this.#parts;
    const { id = '', address = '' } = run.job.payload;
    const [user, ...others] = await findNamesakes(records.read, secrets.open(address, contextOf(id)));
    if (!user || user.type === 'client') return;
    // Several accounts claim it, and it is nobody's: none of them speaks for the others.
    if (user.claimedBy !== undefined && others.length > 0) return;
    const token = createHmac('sha256', this.#linkKey).update(id).digest('base64url');
    await this.#makeWork(token, user.id);
    const url = `${publicUrl()}/v1/set-up/password?token=${token}`;
    try {
      await mail.send(passwordLetter(id, user.email, url), run.signal);
    } catch (error) {
      const permanent = error instanceof MailError && error.permanent;
      if (!permanent || run.signal.aborted) throw error;
      log.warn({ err: error, id }, 'a mail for a forgotten password was refused for good');
    }
  }

  /** Of several links only the newest works. A repeated attempt sends the same one. */
  async #makeWork(token: string, userId: string): Promise<void> {
    await this.#parts.records.transact(async (tx) => {
      if (await findToken(tx, token, 'new-password')) return;
      await spendTokensOf(tx, userId, 'new-password');
      await storeToken(tx, token, { purpose: 'new-password', subject: userId, lifeMs: linkLifeMs });
    });
  }
}
