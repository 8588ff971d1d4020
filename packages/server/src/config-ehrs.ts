import { calendarMost, readDuration, readInteger, readSize, setting, timerMost } from './config-values.ts';

/** Settings of the syncs from EHR systems. */
export const ehrSettings = {
  ehrSyncBytes: setting(
    'PLOIDY_EHR_SYNC_BYTES_MAX',
    readSize('1'),
    '50GiB',
    'bytes',
    'Most that one sync may fetch from an EHR system.',
  ),
  ehrSyncTimeMs: setting(
    'PLOIDY_EHR_SYNC_TIME',
    readDuration('1s', calendarMost),
    '24h',
    'duration',
    'Longest time that one sync may fetch from an EHR system.',
  ),
  ehrRetryMs: setting(
    'PLOIDY_EHR_RETRY',
    readDuration('0s', timerMost),
    '1s',
    'duration',
    'How long a sync waits before it asks an EHR system again that could not answer; doubled each time, unless the system says how long.',
  ),
  ehrAttemptsMax: setting(
    'PLOIDY_EHR_ATTEMPTS',
    readInteger(1, 100),
    '7',
    'attempts',
    'How often one request is sent in all before a sync fails.',
  ),
} as const;

const waitAskedMaxMs = 15 * 60_000;

/** The same as the syncs take them. */
export function syncLimits(config: {
  ehrSyncBytes: number;
  ehrSyncTimeMs: number;
  ehrRetryMs: number;
  ehrAttemptsMax: number;
}) {
  return {
    bytesMax: config.ehrSyncBytes,
    timeMs: config.ehrSyncTimeMs,
    patience: { attemptsMax: config.ehrAttemptsMax, waitMs: config.ehrRetryMs, waitAskedMaxMs },
  };
}
