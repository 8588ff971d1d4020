import type { Kysely } from 'kysely';
import * as platform from './0000-platform.ts';
import * as core from './0001-core.ts';
import * as data from './0002-data.ts';
import * as deletion from './0003-deletion.ts';
import * as multipart from './0004-multipart.ts';
import * as people from './0005-people.ts';
import * as audit from './0006-audit.ts';
import * as invitations from './0007-invitations.ts';
import * as storedRemotely from './0008-stored-remotely.ts';
import * as clients from './0009-clients.ts';
import * as oauth from './0010-oauth.ts';
import * as signIn from './0011-sign-in.ts';
import * as saml from './0012-saml.ts';
import * as annotations from './0015-annotations.ts';
import * as fairQueue from './0017-fair-queue.ts';
import * as compaction from './0018-compaction.ts';
import * as genomics from './0019-genomics.ts';
import * as variantIndexes from './0020-variant-indexes.ts';
import * as ehrs from './0021-ehrs.ts';
import * as cohorts from './0022-cohorts.ts';
import * as annotationProject from './0023-annotation-project.ts';
import * as keptHeaders from './0024-kept-headers.ts';
import * as uploadsReplace from './0025-uploads-replace.ts';
import * as cohortsCounted from './0026-cohorts-counted.ts';
import * as genomeBuilds from './0027-genome-builds.ts';
import * as identity from './0028-identity.ts';
import * as ehrKeys from './0029-ehr-keys.ts';
import * as samlEncryption from './0030-saml-encryption.ts';
import * as claimedAddresses from './0031-claimed-addresses.ts';
import * as providedSessions from './0032-provided-sessions.ts';
import * as providedKeys from './0033-provided-keys.ts';
import * as samlWrappedKeys from './0034-saml-wrapped-keys.ts';
import * as cohortsOfDays from './0035-cohorts-of-days.ts';
import * as ways from './0036-ways.ts';
import * as catalogueIndexes from './0037-catalogue-indexes.ts';
import * as endsOfVariants from './0038-ends-of-variants.ts';

/** One step forward. Steps run once, in order of their names, each in a transaction with what it records. */
export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
}

/** Every step there ever was. A step that was released is never edited, renamed or removed: the next one mends it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0000-platform': platform,
  '0001-core': core,
  '0002-data': data,
  '0003-deletion': deletion,
  '0004-multipart': multipart,
  '0005-people': people,
  '0006-audit': audit,
  '0007-invitations': invitations,
  '0008-stored-remotely': storedRemotely,
  '0009-clients': clients,
  '0010-oauth': oauth,
  '0011-sign-in': signIn,
  '0012-saml': saml,
  '0015-annotations': annotations,
  '0017-fair-queue': fairQueue,
  '0018-compaction': compaction,
  '0019-genomics': genomics,
  '0020-variant-indexes': variantIndexes,
  '0021-ehrs': ehrs,
  '0022-cohorts': cohorts,
  '0023-annotation-project': annotationProject,
  '0024-kept-headers': keptHeaders,
  '0025-uploads-replace': uploadsReplace,
  '0026-cohorts-counted': cohortsCounted,
  '0027-genome-builds': genomeBuilds,
  '0028-identity': identity,
  '0029-ehr-keys': ehrKeys,
  '0030-saml-encryption': samlEncryption,
  '0031-claimed-addresses': claimedAddresses,
  '0032-provided-sessions': providedSessions,
  '0033-provided-keys': providedKeys,
  '0034-saml-wrapped-keys': samlWrappedKeys,
  '0035-cohorts-of-days': cohortsOfDays,
  '0036-ways': ways,
  '0037-catalogue-indexes': catalogueIndexes,
  '0038-ends-of-variants': endsOfVariants,
};
