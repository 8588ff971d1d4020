import { Problem } from '../../../base/problem.ts';
import type { Job, JobHandler, JobRun } from '../../../platform/jobs/index.ts';
import { type Mail, MailError } from '../../../platform/mail/mail.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import { type Invitation, statusOf } from './invitation.ts';
import { composeEmail, linkOf } from './invitation-email.ts';
import { type InvitationMails, mailJob } from './mails.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import { findInvitation } from './store.ts';

interface SendDeps {
  records: Records;
  mail: Mail;
  mails: InvitationMails;
  log: PlatformLog;
  /** Returns the public address of the service. */
  publicUrl: () => string;
  schedule: RetrySchedule;
}

/** Mail as its job names it. */
interface Named {
  invitation: string;
  number: number;
}

/**
 * Returns the job that sends the mail of an invitation, at least once: after a crash between sending and
 * recording, it is sent again under the same Message-ID. A failure leaves the invitation valid.
 */
export function sendInvitations(deps: SendDeps): JobHandler {
  return {
    kind: mailJob,
    retryDelayMs: deps.schedule.delayMs,
    run: (run) => send(deps, run),
    onExhausted: (tx, job) => note(tx, namedBy(job), { state: 'failed' }),
  };
}

async function send({ records, mail, mails, log, publicUrl }: SendDeps, run: JobRun): Promise<void> {
  const named = namedBy(run.job);
  const invitation = await findInvitation(records.read, named.invitation);
  if (!invitation || !isWanted(invitation, named)) return;
  const token = mails.tokenOf(named.invitation, named.number);
  try {
    await mail.send(composeEmail(invitation, linkOf(publicUrl(), token)), run.signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    const permanent = error instanceof MailError && error.permanent;
    await finish(records, run, named, {
      state: permanent ? 'failed' : 'queued',
      error: describeFailure(error),
    });
    if (!permanent) throw error;
    log.warn({ err: error, invitation: named.invitation }, 'a mail was refused for good');
    return;
  }
  await finish(records, run, named, { state: mail.place === 'server' ? 'sent' : 'outbox', error: null });
}

/** Reports whether the mail is current: the invitation is open, and no newer mail has replaced it. */
function isWanted(invitation: Invitation, { number }: Named): boolean {
  return statusOf(invitation) === 'AWAITING' && invitation.mailNumber === number;
}

/** Describes a failure for the inviter. */
function describeFailure(error: unknown): string {
  if (error instanceof MailError || error instanceof Problem) return error.message;
  return 'The mail could not be composed.';
}

interface Outcome {
  state: Invitation['delivery']['state'];
  error?: string | null;
}

/** Records the outcome of an attempt, unless another process holds the job. */
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
