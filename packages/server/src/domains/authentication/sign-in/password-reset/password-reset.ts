import { createHmac } from 'node:crypto';
import { newId } from '../../../../base/ids.ts';
import { emailKey } from '../../../../base/names.ts';
import { type JobHandler, type JobRun, type Jobs, nobody } from '../../../../platform/jobs/index.ts';
import { type Mail, MailError, type MailMessage } from '../../../../platform/mail/mail.ts';
import type { PlatformLog } from '../../../../platform/records/log.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { SealedColumn } from '../../../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../../../platform/secrets/secrets.ts';
import { findNamesakes } from '../../../identity/users/index.ts';
import { findToken, spendTokensOf, storeToken, text } from '../../setup/index.ts';

const kind = 'forgotten-password-mail';
const contextOf = (id: string): string => `${kind}:${id}`;

/** Column of jobs with sealed addresses. */
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
/** Delays of seconds to minutes: about the lifetime of the link. */
const attemptsMax = 8;

interface PasswordResetDeps {
  records: Records;
  secrets: Secrets;
  jobs: Jobs;
  mail: Mail;
  log: PlatformLog;
  publicUrl: () => string;
}

/**
 * Links for forgotten passwords. The request queues one job for any address, and the job finds the user:
 * neither the response nor its time reveals one.
 */
export class PasswordResets {
  readonly #deps: PasswordResetDeps;
  readonly #linkKey: Buffer;

  constructor(deps: PasswordResetDeps) {
    this.#deps = deps;
    this.#linkKey = deps.secrets.derive('password-links');
  }

  async request(email: string): Promise<void> {
    const { records, jobs, secrets } = this.#deps;
    const id = newId();
    // Sealed: the input may be any person's address.
    const payload = { id, address: secrets.seal(emailKey(email), contextOf(id)) };
    await records.transact(async (tx) => {
      await jobs.add(tx, { kind, class: 'mail', whose: nobody, payload, attemptsMax });
    });
  }

  readonly job: JobHandler = {
    kind,
    run: (run) => this.#send(run),
    onExhausted: async (_tx, job, error) => {
      this.#deps.log.warn(
        { err: error, id: job.payload['id'] },
        'a mail for a forgotten password did not go out',
      );
    },
  };

  async #send(run: JobRun): Promise<void> {
    const { records, secrets, mail, log, publicUrl } = this.#deps;
    const { id = '', address = '' } = run.job.payload;
    const [user, ...others] = await findNamesakes(records.read, secrets.open(address, contextOf(id)));
    if (!user || user.type === 'client') return;
    // Claimed by several accounts and owned by no user: no account acts for the others.
    if (user.claimedBy !== undefined && others.length > 0) return;
    const token = createHmac('sha256', this.#linkKey).update(id).digest('base64url');
    await this.#makeWork(token, user.id);
    const url = `${publicUrl()}/v1/set-up/password?token=${token}`;
    try {
      await mail.send(composeEmail(id, user.email, url), run.signal);
    } catch (error) {
      const permanent = error instanceof MailError && error.permanent;
      if (!permanent || run.signal.aborted) throw error;
      log.warn({ err: error, id }, 'a mail for a forgotten password was refused for good');
    }
  }

  /** Activates a link and voids earlier ones. A repeated attempt sends the same link. */
  async #makeWork(token: string, userId: string): Promise<void> {
    await this.#deps.records.transact(async (tx) => {
      if (await findToken(tx, token, 'new-password')) return;
      await spendTokensOf(tx, userId, 'new-password');
      await storeToken(tx, token, { purpose: 'new-password', subject: userId, lifeMs: linkLifeMs });
    });
  }
}

/** Returns the mail for a forgotten password. */
function composeEmail(id: string, to: string, url: string): MailMessage {
  const asked = `A new password was requested for ${to} on Ploidy.`;
  const works = 'The link works once, for an hour. Using it signs you out everywhere.';
  const ignore = 'If you did not request it, you can ignore this mail: your password stays unchanged.';
  const subject = 'Your new password';
  return {
    id: `password.${id}`,
    to,
    subject,
    text: `${['Hello,', asked, `To choose a new password, open this link:\n\n${url}`, works, ignore].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:560px;margin:0 auto;padding:16px">
<p>Hello,</p>
<p>${text(asked)}</p>
<p><a href="${text(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#ffffff;text-decoration:none">Choose a new password</a></p>
<p>Or open this address:<br><a href="${text(url)}" style="word-break:break-all">${text(url)}</a></p>
<p>${works}</p>
<p>${ignore}</p>
</body>
</html>
`,
  };
}
