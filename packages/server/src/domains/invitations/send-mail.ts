import type { Job, JobHandler, JobRun } from '../../platform/jobs/index.ts';
import { type Mail, MailError } from '../../platform/mail/mail.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import { type Invitation, statusOf } from './invitation.ts';
import { letterOf, linkPath } from './letter.ts';
import { type InvitationMails, mailJob } from './mails.ts';
import type { Patience } from './patience.ts';
import { findInvitation } from './store.ts';

export interface SendParts {
  records: Records;
  mail: Mail;
  mails: InvitationMails;
  log: PlatformLog;
  /** The address under which people reach the service. */
  publicUrl: () => string;
  patience: Patience;
}

/** Mails sent at once by one process; a server that is slow keeps nothing else waiting. */
const concurrencyMax = 4;

/** A mail as a job names it. */
interface Named {
  invitation: string;
  number: number;
}

/**
 * The job that sends the mail of an invitation, at least once: after a crash between sending and writing that down it is sent
 * again, under the same Message-ID. Whatever becomes of the mail, the invitation stays.
 */
export function sendInvitations(parts: SendParts): JobHandler {
  return {
    kind: mailJob,
    concurrencyMax,
    retryDelayMs: parts.patience.delayMs,
    run: (run) => send(parts, run),
    onExhausted: (tx, job) => note(tx, namedBy(job), { state: 'failed' }),
  };
}

async function send({ records, mail, mails, log, publicUrl }: SendParts, run: JobRun): Promise<void> {
  const named = namedBy(run.job);
  const invitation = await findInvitation(records.read, named.invitation);
  if (!invitation || !isWanted(invitation, named)) return;
  const token = mails.tokenOf(named.invitation, named.number);
  try {
    await mail.send(letterOf(invitation, `${publicUrl()}${linkPath}?token=${token}`), run.signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    const permanent = error instanceof MailError && error.permanent;
    await finish(records, run, named, { state: permanent ? 'failed' : 'queued', error: sentenceOf(error) });
    if (!permanent) throw error;
    log.warn({ err: error, invitation: named.invitation }, 'a mail was refused for good');
    return;
  }
  await finish(records, run, named, { state: 'sent', error: null });
}

/** Not when it has been answered or has expired, nor when a newer mail has taken its place. */
function isWanted(invitation: Invitation, { number }: Named): boolean {
  return statusOf(invitation) === 'AWAITING' && invitation.mailNumber === number;
}

/** What the inviter may read of a failure. */
function sentenceOf(error: unknown): string {
  if (error instanceof MailError || error instanceof Problem) return error.message;
  return 'The mail could not be written.';
}

interface Outcome {
  state: 'queued' | 'sent' | 'failed';
  error?: string | null;
}

/** Writes down how an attempt went, unless another process has taken the job over. */
async function finish(records: Records, run: JobRun, named: Named, outcome: Outcome): Promise<void> {
  await records.transact(async (tx) => {
    if (await run.holdsLease(tx)) await note(tx, named, outcome, 1);
  });
}

async function note(tx: Transaction, named: Named, outcome: Outcome, attempts = 0): Promise<void> {
  await tx
    .updateTable('invitation_mails')
    .set(({ eb }) => ({ ...outcome, attempts: eb('attempts', '+', attempts) }))
    .where('invitation_id', '=', named.invitation)
    .where('number', '=', named.number)
    .execute();
}

function namedBy({ payload }: Job): Named {
  return { invitation: payload['invitation'] ?? '', number: Number(payload['number']) };
}
