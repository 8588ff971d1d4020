import { readSize, setting } from './values.ts';

/** Settings of the syncs from EHR systems. */
export const ehrSettings = {
  ehrSyncBytes: setting(
    'PLOIDY_EHR_SYNC_BYTES_MAX',
    readSize('1'),
    '50GiB',
    'bytes',
    'Maximum bytes that one sync may fetch from an EHR system.',
  ),
} as const;

const waitAskedMaxMs = 15 * 60_000;

/** Returns the settings as limits of a sync. */
export function syncLimits(config: {
  ehrSyncBytes: number;
  ingestionTimeMs: number;
  retryWaitMs: number;
  ehrAttemptsMax: number;
}) {
  return {
    bytesMax: config.ehrSyncBytes,
    timeMs: config.ingestionTimeMs,
    retry: { attemptsMax: config.ehrAttemptsMax, waitMs: config.retryWaitMs, waitAskedMaxMs },
  };
}
