import { cohortRemovers } from '../../domains/analysis/cohorts/index.ts';
import { invitationRemovers } from '../../domains/authentication/invitations/index.ts';
import { keyRemovers } from '../../domains/authentication/keys/index.ts';
import { oauthRemovers } from '../../domains/authentication/oauth/index.ts';
import { samlRemovers } from '../../domains/authentication/saml/index.ts';
import type { Remover } from '../../domains/deletion/index.ts';
import { ehrRemovers } from '../../domains/ehrs/index.ts';
import { fileRemovers } from '../../domains/files/index.ts';
import { genomicsRemovers } from '../../domains/genomics/datasets/index.ts';
import { htsgetRemovers } from '../../domains/genomics/htsget/index.ts';
import { groupRemovers } from '../../domains/identity/groups/index.ts';
import { policyRemovers } from '../../domains/identity/policies/index.ts';
import { userRemovers } from '../../domains/identity/users/index.ts';
import { ingestionRemovers } from '../../domains/ingestion/index.ts';
import { lakeRemovers } from '../../domains/lake/index.ts';
import { webhookRemovers } from '../../domains/protocols/events/index.ts';
import type { Jobs } from '../../platform/jobs/index.ts';
import type { Database } from '../../platform/records/index.ts';

/**
 * Returns the removers of all domains for a deleted project or account, in order. A table with such rows that
 * is missing here and in `keptTables` fails removers.test.ts.
 */
export function removersOf(jobs: Jobs): Remover[] {
  return [
    ...cohortRemovers,
    ...lakeRemovers(jobs),
    ...ehrRemovers(jobs),
    ...ingestionRemovers(jobs),
    ...genomicsRemovers,
    ...htsgetRemovers,
    ...fileRemovers,
    ...invitationRemovers,
    ...groupRemovers,
    ...userRemovers,
    ...policyRemovers,
    ...webhookRemovers,
    ...keyRemovers,
    ...samlRemovers,
    ...oauthRemovers,
  ];
}

/** Tables that name an account or project and keep their rows, with the reason. */
export const keptTables: Partial<Record<keyof Database, string>> = {
  audit_events: 'the log outlives the resources that it names; it holds ids and counts, and stays verifiable',
  audit_heads: 'the heads of these chains',
  jobs: 'removers cancel what is open; the rest is ids, and goes a month after its end',
  projects: 'the row goes in the transaction that begins the removal',
  removals: 'what is being removed, and which ids of accounts are used up; ids and counts',
};
