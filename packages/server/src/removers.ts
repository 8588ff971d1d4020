import { cohortRemovers } from './domains/cohorts/index.ts';
import type { Remover } from './domains/deletion/index.ts';
import { ehrRemovers } from './domains/ehrs/index.ts';
import { fileRemovers } from './domains/files/index.ts';
import { genomicsRemovers } from './domains/genomics/index.ts';
import { groupRemovers } from './domains/groups/index.ts';
import { htsgetRemovers } from './domains/htsget/index.ts';
import { ingestionRemovers } from './domains/ingest/index.ts';
import { invitationRemovers } from './domains/invitations/index.ts';
import { keyRemovers } from './domains/keys/index.ts';
import { lakeRemovers } from './domains/lake/index.ts';
import { oauthRemovers } from './domains/oauth/index.ts';
import { policyRemovers } from './domains/policies/index.ts';
import { samlRemovers } from './domains/saml/index.ts';
import { userRemovers } from './domains/users/index.ts';
import type { Jobs } from './platform/jobs/index.ts';
import type { Database } from './platform/records/index.ts';

/**
 * What every domain removes when a project or account goes, in this order. A table with rows of either that is neither here
 * nor below fails removers.test.ts.
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
    ...keyRemovers,
    ...samlRemovers,
    ...oauthRemovers,
  ];
}

/** Tables that name an account or project and are not emptied, and why. */
export const keptTables: Partial<Record<keyof Database, string>> = {
  audit_events: 'the log outlives what it tells of; it holds ids and counts, and stays verifiable',
  audit_heads: 'the heads of these chains',
  projects: 'the row goes in the transaction that begins the removal',
  removals: 'what is being removed, and which ids of accounts are used up; ids and counts',
};
