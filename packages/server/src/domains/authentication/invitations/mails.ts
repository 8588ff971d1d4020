import { createHmac } from 'node:crypto';
import { Problem } from '../../../base/problem.ts';
import type { Jobs } from '../../../platform/jobs/index.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import { spendTokensOf, storeToken } from '../setup/index.ts';

/** Kind of the job that sends the mail of an invitation. */
export const mailJob = 'invitation-mail';

const hourMs = 3_600_000;
/** Mails per hour from an account to one address. */
const mailsPerAddressMax = 5;

/** Mail of an invitation to queue. */
interface NewMail {
  invitation: string;
  /** 1 for the first mail, incremented by each resend. */
  number: number;
  account: string;
  sender: string;
  expiresAt: number;
}

/** Mails of invitations: their links, limits and jobs. */
export class InvitationMails {
  readonly #jobs: Jobs;
  readonly #key: Buffer;
  readonly #perHour: number;
  readonly #attemptsMax: number;

  /** `key` derives the tokens of all links. */
  constructor(jobs: Jobs, key: Buffer, limits: { perHour: number; attemptsMax: number }) {
    this.#jobs = jobs;
    this.#key = key;
    this.#perHour = limits.perHour;
    this.#attemptsMax = limits.attemptsMax;
  }

  /**
   * Derives the token in the link of a mail. Only its hash is stored; the job that sends the mail derives it
   * again.
   */
  tokenOf(invitation: string, number: number): string {
    return createHmac('sha256', this.#key).update(`${invitation}:${number}`).digest('base64url');
  }

  /** Queues a mail in the caller's transaction: its job and its link. Earlier links become void. */
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
    // Accounts are queued fairly: many invitations of one do not delay those of others.
    const whose = { account, project: '', user: sender };
    await this.#jobs.add(tx, {
      ...{ kind: mailJob, class: 'mail', whose, payload },
      attemptsMax: this.#attemptsMax,
    });
  }

  /**
   * Throws 429 when the account or the address is above its limit in the last hour. The caller holds the lock
   * of the account, so concurrent requests count each other.
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

/** Returns the refusal: there is room once the nth newest mail is an hour old. */
function tooMany(createdAt: number): Problem {
  const retryAfterS = Math.max(1, Math.ceil((createdAt + hourMs - Date.now()) / 1000));
  const message = 'Too many invitations in the last hour. Wait, then try again.';
  return new Problem(429, 'TOO_MANY_INVITATIONS', message, { retryAfterS });
}
