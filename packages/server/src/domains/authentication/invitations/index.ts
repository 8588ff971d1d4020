import type { Caller } from '../../../access/caller.ts';
import type { Pages } from '../../../api/paging.ts';
import type { Route } from '../../../api/route.ts';
import type { Jobs } from '../../../platform/jobs/index.ts';
import type { Mail } from '../../../platform/mail/mail.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Audit } from '../../audit/index.ts';
import { isOnlyAccount } from '../../identity/accounts/index.ts';
import { findGroupById } from '../../identity/groups/index.ts';
import { sweepTokens } from '../setup/index.ts';
import type { Invitation } from './invitation.ts';
import { linkOf } from './invitation-email.ts';
import { Invitations } from './invitations.ts';
import { invitationLinkRoutes } from './link-routes.ts';
import { InvitationLinks } from './links.ts';
import { InvitationMails } from './mails.ts';
import { retryScheduleOf } from './retry-schedule.ts';
import { invitationRoutes } from './routes.ts';
import { sendInvitations } from './send-mail.ts';
import { sweepOrphans } from './store.ts';

export { invitationRemovers } from './store.ts';

interface InvitationDeps {
  records: Records;
  audit: Audit;
  secrets: Secrets;
  jobs: Jobs;
  mail: Mail;
  log: PlatformLog;
  pages: Pages;
  /** Returns the public address of the service. */
  publicUrl: () => string;
}

interface InvitationSettings {
  invitationLifeMs: number;
  invitationsPerHour: number;
  retryWaitMs: number;
  mailGiveUpMs: number;
}

/** Opens the domain: its routes, its sweep, and the job that sends its mails. */
export function openInvitations(
  deps: InvitationDeps,
  settings: InvitationSettings,
): { routes: Route[]; sweep: () => Promise<void> } {
  const { records, audit, jobs, secrets, pages } = deps;
  const schedule = retryScheduleOf(settings.retryWaitMs, settings.mailGiveUpMs);
  const mails = new InvitationMails(jobs, secrets.derive('invitation-links'), {
    perHour: settings.invitationsPerHour,
    attemptsMax: schedule.attemptsMax,
  });
  const invitations = new Invitations({ records, audit, mails, lifeMs: settings.invitationLifeMs });
  jobs.handle(sendInvitations({ ...deps, mails, schedule }));
  const linkFor = async ({ id, account, mailNumber }: Invitation, caller: Caller) =>
    (await mayPassOn(deps, account, caller))
      ? linkOf(deps.publicUrl(), mails.tokenOf(id, mailNumber))
      : undefined;
  return {
    routes: [
      ...invitationRoutes({
        invitations,
        linkFor,
        pages,
        findGroup: (id) => findGroupById(records.read, id),
      }),
      ...invitationLinkRoutes(new InvitationLinks(records, invitations)),
    ],
    sweep: async () => {
      await records.transact(async (tx) => {
        await sweepOrphans(tx);
        await sweepTokens(tx);
      });
    },
  };
}

/**
 * Reports whether a caller may have a link that proves an address. It would let an administrator of one account take the addresses of
 * people of another: only where there is one account, whose administrators decide about all users, and no mail server.
 */
async function mayPassOn(
  { mail, records }: InvitationDeps,
  account: string,
  caller: Caller,
): Promise<boolean> {
  if (mail.place !== 'outbox') return false;
  if (!caller.allows('accountAdmin', { account, type: 'account', id: account })) return false;
  return isOnlyAccount(records.read, account);
}
