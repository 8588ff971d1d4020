import type { Pages } from '../../paging.ts';
import type { Jobs } from '../../platform/jobs/index.ts';
import type { Mail } from '../../platform/mail/mail.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records } from '../../platform/records/records.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Route } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import { findGroupById } from '../groups/index.ts';
import { sweepTokens } from '../setup/index.ts';
import { Invitations } from './invitations.ts';
import { invitationLinkRoutes } from './link-routes.ts';
import { InvitationLinks } from './links.ts';
import { InvitationMails } from './mails.ts';
import { patienceOf } from './patience.ts';
import { invitationRoutes } from './routes.ts';
import { sendInvitations } from './send-mail.ts';
import { sweepOrphans } from './store.ts';

export { invitationRemovers } from './removal.ts';

export interface InvitationParts {
  records: Records;
  audit: Audit;
  secrets: Secrets;
  jobs: Jobs;
  mail: Mail;
  log: PlatformLog;
  pages: Pages;
  /** The address under which people reach the service. */
  publicUrl: () => string;
}

export interface InvitationSettings {
  invitationLifeMs: number;
  invitationsPerHour: number;
  mailRetryMs: number;
  mailGiveUpMs: number;
}

/** Puts the domain together: its routes, what it sweeps, and the job that sends its mails. */
export function openInvitations(
  parts: InvitationParts,
  settings: InvitationSettings,
): { routes: Route[]; sweep: () => Promise<void> } {
  const { records, audit, jobs, secrets, pages } = parts;
  const patience = patienceOf(settings.mailRetryMs, settings.mailGiveUpMs);
  const mails = new InvitationMails(jobs, secrets.derive('invitation-links'), {
    perHour: settings.invitationsPerHour,
    attemptsMax: patience.attemptsMax,
  });
  const invitations = new Invitations({ records, audit, mails, lifeMs: settings.invitationLifeMs });
  jobs.handle(sendInvitations({ ...parts, mails, patience }));
  return {
    routes: [
      ...invitationRoutes({ invitations, pages, findGroup: (id) => findGroupById(records.read, id) }),
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
