import type { ErrorEntry } from './error-entry.ts';

/** Errors of limits and quotas. */
export const limitErrors = {
  TOO_MANY_ACCOUNTS: [403, 'The user has all accounts that are allowed', 'Delete one, or ask the operator'],
  TOO_MANY_PROJECTS: [
    403,
    'The account has all projects that are allowed',
    'Delete one, or ask the operator',
  ],
  TOO_MANY_CLIENTS: [409, 'The account has all clients that are allowed', 'Delete those that are not used'],
  TOO_MANY_EHRS: [
    409,
    'The account has all EHR configurations that are allowed',
    'Delete those that are not used',
  ],
  TOO_MANY_WEBHOOKS: [409, 'The account has all webhooks that are allowed', 'Delete those that are not used'],
  TOO_MANY_KEYS: [409, 'The user has all keys that are allowed', 'Revoke some'],
  TOO_MANY_SAVED_QUERIES: [
    409,
    'The user has all saved queries that are allowed',
    'Delete those that are not used',
  ],
  POLICIES_LIMIT: [409, 'The policies of the account are too long together', 'Shorten or delete some'],
  ACCOUNT_FULL: [413, 'The files of the account use all bytes', 'Delete files, or ask the operator'],
  RESULTS_FULL: [413, 'The results of the user use all bytes', 'Delete results'],
  QUERY_SQL: [
    422,
    'The statement fails on a value of the data',
    '`TRY_CAST`, or a condition that leaves such rows out',
  ],
  QUERY_TIME: [422, 'The query took longer than allowed', 'Filter earlier, or read fewer tables'],
  QUERY_MEMORY: [422, 'The query needs more memory than allowed', 'Group or sort fewer rows'],
  QUERY_DISK: [422, 'The query needs more temporary disk than allowed', 'As for `QUERY_MEMORY`'],
  QUERY_RESULT_SIZE: [422, 'The result, or one of its rows, is too large', 'Ask for fewer columns or rows'],
  RESULT_NOT_PAGED: [
    422,
    'The file is no result in Parquet',
    'Download it, or run the query with `format`: `parquet`',
  ],
  ANALYTICS_TIME: [422, 'As `QUERY_TIME`, of an analytics question', 'Add conditions'],
  ANALYTICS_MEMORY: [422, 'As `QUERY_MEMORY`, of an analytics question', 'Add conditions'],
  ANALYTICS_DISK: [422, 'As `QUERY_DISK`, of an analytics question', 'Add conditions'],
  ANALYTICS_RESULT_SIZE: [422, 'As `QUERY_RESULT_SIZE`, of an analytics question', 'Send a smaller `limit`'],
  EXPORT_SIZE: [422, 'The export would have more than 500 files', 'Name fewer samples, or a cohort'],
  EXPORT_FAILED: [
    422,
    'A file of the export could not be written, or is gone',
    'Delete the export and start it again',
  ],
  FHIR_SIZE: [422, 'A page of a FHIR search includes too many resources', 'Send a smaller `_count`'],
  PHENOPACKET_SIZE: [422, 'The patient has 10,000 rows or more', 'Use a query or an export'],
  COHORT_TIME: [422, 'As `QUERY_TIME`, of a cohort', 'Make its conditions narrower'],
  COHORT_MEMORY: [422, 'As `QUERY_MEMORY`, of a cohort', 'Make its conditions narrower'],
  COHORT_DISK: [422, 'As `QUERY_DISK`, of a cohort', 'Make its conditions narrower'],
  COHORT_RESULT_SIZE: [422, 'As `QUERY_RESULT_SIZE`, of a cohort', 'Make its conditions narrower'],
  TOO_MANY_REQUESTS: [
    429,
    'Too many requests of the caller in a minute or at once',
    'Wait `Retry-After` seconds',
  ],
  TOO_MANY_ATTEMPTS: [429, 'Too many wrong passwords or codes', 'Wait `Retry-After` seconds'],
  TOO_MANY_SIGN_INS: [
    429,
    'Too many unfinished sign-ins from one network',
    'Wait; behind a proxy set `PLOIDY_TRUSTED_PROXIES`',
  ],
  TOO_MANY_INVITATIONS: [429, 'Too many invitations to an address in an hour', 'Wait'],
} as const satisfies Record<string, ErrorEntry>;
