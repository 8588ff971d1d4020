import type { Kysely } from 'kysely';
import * as initial from './0001-initial.ts';
import * as ownTables from './0002-own-tables.ts';
import * as trinoStatements from './0003-trino-statements.ts';
import * as lakeFiles from './0004-lake-files.ts';
import * as duties from './0005-duties.ts';
import * as savedQueries from './0006-saved-queries.ts';
import * as deviceRequests from './0007-device-requests.ts';
import * as cram from './0008-cram.ts';
import * as cohortCounts from './0009-cohort-counts.ts';
import * as exports from './0010-exports.ts';
import * as fileBounds from './0011-file-bounds.ts';
import * as exactNumbers from './0012-exact-numbers.ts';
import * as openWork from './0013-open-work.ts';
import * as madeWith from './0014-made-with.ts';
import * as uploadCredentials from './0015-upload-credentials.ts';
import * as shares from './0016-shares.ts';
import * as lakeCopies from './0017-lake-copies.ts';
import * as clientMakers from './0018-client-makers.ts';
import * as codings from './0020-codings.ts';
import * as studyLayouts from './0021-study-layouts.ts';
import * as lakeDerivations from './0022-lake-derivations.ts';
import * as ownWork from './0023-own-work.ts';
import * as webhooks from './0025-webhooks.ts';
import * as assistants from './0028-assistants.ts';
import * as annotationSources from './0029-annotation-sources.ts';
import * as reports from './0033-reports.ts';
import * as lakeMerges from './0037-lake-merges.ts';
import * as lostRuns from './0039-lost-runs.ts';
import * as buckets from './0040-buckets.ts';
import * as clientAssertions from './0041-client-assertions.ts';
import * as copyAudiences from './0043-copy-audiences.ts';
import * as accountJobs from './0044-account-jobs.ts';
import * as openUploads from './0046-open-uploads.ts';
import * as querySchedules from './0047-query-schedules.ts';
import * as stepsBeside from './0048-steps-beside.ts';
import * as announcedReleases from './0050-announced-releases.ts';
import * as patientContext from './0052-patient-context.ts';
import * as sequenceDigests from './0053-sequence-digests.ts';
import * as packedVariants from './0056-packed-variants.ts';

/** One step forward. Steps run once, in order of their names, each in a transaction with what it records. */
export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
  /**
   * Oldest step whose processes work beside this one, which adds only: tables, and columns that rows may lack. Absent: all
   * processes stop for it. A release names in it the last step of the release before.
   */
  beside?: string;
}

/** Every step there ever was. A step that was released is never edited, renamed or removed: the next one mends it. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-own-tables': ownTables,
  '0003-trino-statements': trinoStatements,
  '0004-lake-files': lakeFiles,
  '0005-duties': duties,
  '0006-saved-queries': savedQueries,
  '0007-device-requests': deviceRequests,
  '0008-cram': cram,
  '0009-cohort-counts': cohortCounts,
  '0010-exports': exports,
  '0011-file-bounds': fileBounds,
  '0012-exact-numbers': exactNumbers,
  '0013-open-work': openWork,
  '0014-made-with': madeWith,
  '0015-upload-credentials': uploadCredentials,
  '0016-shares': shares,
  '0017-lake-copies': lakeCopies,
  '0018-client-makers': clientMakers,
  '0020-codings': codings,
  '0021-study-layouts': studyLayouts,
  '0022-lake-derivations': lakeDerivations,
  '0023-own-work': ownWork,
  '0025-webhooks': webhooks,
  '0028-assistants': assistants,
  '0029-annotation-sources': annotationSources,
  '0033-reports': reports,
  '0037-lake-merges': lakeMerges,
  '0039-lost-runs': lostRuns,
  '0040-buckets': buckets,
  '0041-client-assertions': clientAssertions,
  '0043-copy-audiences': copyAudiences,
  '0044-account-jobs': accountJobs,
  '0046-open-uploads': openUploads,
  '0047-query-schedules': querySchedules,
  '0048-steps-beside': stepsBeside,
  '0050-announced-releases': announcedReleases,
  '0052-patient-context': patientContext,
  '0053-sequence-digests': sequenceDigests,
  '0056-packed-variants': packedVariants,
};
