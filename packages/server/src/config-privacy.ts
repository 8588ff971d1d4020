import { readInteger, setting } from './config-values.ts';

/** Settings of what readers of masked data are told. */
export const privacySettings = {
  countsMin: setting(
    'PLOIDY_SMALL_COUNTS_MIN',
    readInteger(0, 10_000),
    '0',
    'patients',
    'Who may only read masked data gets counts and sums alone, and only of at least so many patients. `0`: no such limit.',
  ),
} as const;
