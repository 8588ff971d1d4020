import { readInteger, readSize, setting } from './values.ts';

/** Settings of quotas of users and accounts. */
export const quotaSettings = {
  accountsPerUser: setting(
    'PLOIDY_ACCOUNTS_PER_USER',
    readInteger(0, 1_000_000),
    '10',
    'accounts',
    'Maximum accounts that one user may own. `0`: only the operator creates accounts (`ploidy admin accounts add`).',
  ),
  projectsPerAccount: setting(
    'PLOIDY_PROJECTS_PER_ACCOUNT',
    readInteger(1, 1_000_000),
    '1000',
    'projects',
    'Maximum projects of one account.',
  ),
  accountBytesMax: setting(
    'PLOIDY_ACCOUNT_BYTES',
    (text, variable) => (text === '' ? undefined : readSize('1')(text, variable)),
    '',
    'bytes',
    'Maximum total size of all files of an account, with copies of its tables for Iceberg; uploads beyond it get 413. Empty: no limit but the disk.',
  ),
  resultBytesMax: setting(
    'PLOIDY_RESULT_BYTES_PER_USER',
    readSize('1'),
    '100GiB',
    'bytes',
    'Maximum total size of query results that one user stores in an account; further queries get 413.',
  ),
} as const;
