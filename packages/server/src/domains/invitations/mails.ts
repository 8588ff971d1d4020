import { createHmac } from 'node:crypto';
import type { Jobs } from '../../platform/jobs/index.ts';
import type { Transaction } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import { spendTokensOf, storeToken } from '../setup/index.ts';

/** The kind of job that sends the mail of an invitation. */
export const mailJob = 'invitation-mail';

const hourMs = 3_600_000;
/** Mails that an account may send to one address in an hour. */
const mailsPerAddressMax = 5;

/** A mail of an invitation, to be written down. */
export interface NewMail {
  invitation: string;
  /** 1 for the first, more for each that is sent again. */
  number: number;
  account: string;
  sender: string;
  expiresAt: number;
}

/** The mails of invitations: the links in them, how many there may be, and the jobs that send them. */
export class InvitationMails {
  readonly #jobs: Jobs;
  readonly #key: Buffer;
  readonly #perHour: number;
  readonly #attemptsMax: number;

  /** `key` is what links are made with: whoever has it can make them all. */
  constructor(jobs: Jobs, key: Buffer, limits: { perHour: number; attemptsMax: number }) {
    this.#jobs = jobs;
    this.#key = key;
    this.#perHour = limits.perHour;
    this.#attemptsMax = limits.attemptsMax;
  }

  /**
   * The token in the link of a mail. It is not kept: the records hold its hash, and the job that sends the mail makes it anew.
   */
  tokenOf(invitation: string, number: number): string {
    return createHmac('sha256', this.#key).update(`${invitation}:${number}`).digest('base64url');
  }

  /** Writes a mail down in the caller's transaction: its job, and the link in it. Links of earlier ones stop working. */
  async queue(tx: Transaction, mail: NewMail): Promise<void> {
    const { invitation, number, account, sender, expiresAt } = mail;
    const now = Date.now();
    await spendTokensOf(tx, invitation, 'invitation');
    await storeToken(tx, this.tokenOf(invitation, number), {
      purpose: 'invitation',
      subject: invitation,
      lifeMs: expiresAt - now,
    });
    await tx
      .insertInto('invitation_mails')
      .values({
        invitation_id: invitation,
        number,
        account_id: account,
        sender_id: sender,
        state: 'queued',
        attempts: 0,
        error: null,
        created_at: now,
      })
      .execute();
    const payload = { invitation, number: String(number) };
    // Accounts take turns, so that many invitations of one do not keep another waiting.
    await this.#jobs.add(tx, { kind: mailJob, payload, attemptsMax: this.#attemptsMax, queueKey: account });
  }

  /**
   * Problem 429 when the account or the person has sent too much in the last hour. The account's row is locked by the caller, so
   * that requests at once count each other.
   */
  async requireFewSent(
    tx: Transaction,
    mail: { account: string; sender: string; email: string },
  ): Promise<void> {
    const after = Date.now() - hourMs;
    const recent = tx.selectFrom('invitation_mails').where('invitation_mails.created_at', '>', after);
    const newestFirst = recent
      .select('invitation_mails.created_at')
      .orderBy('invitation_mails.created_at', 'desc');
    const ofAccount = newestFirst.where('invitation_mails.account_id', '=', mail.account);
    const queries = [
      ofAccount.offset(this.#perHour - 1),
      newestFirst.where('invitation_mails.sender_id', '=', mail.sender).offset(this.#perHour - 1),
      ofAccount
        .innerJoin('invitations', 'invitations.id', 'invitation_mails.invitation_id')
        .where('invitations.email', '=', mail.email)
        .offset(mailsPerAddressMax - 1),
    ];
    for (const query of queries) {
      const row = await query.limit(1).executeTakeFirst();
      if (row) throw tooMany(row.created_at);
    }
  }
}

/** The nth newest mail of the hour has to be an hour old before there is room. */
function tooMany(createdAt: number): Problem {
  const retryAfterS = Math.max(1, Math.ceil((createdAt + hourMs - Date.now()) / 1000));
  const message = 'Too many invitations in the last hour. Wait, then try again.';
  return new Problem(429, 'TOO_MANY_INVITATIONS', message, { retryAfterS });
}
