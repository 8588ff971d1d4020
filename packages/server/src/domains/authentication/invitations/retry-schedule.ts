/** Retry schedule of a mail. */
export interface RetrySchedule {
  /** Returns the delay after the nth failed attempt. */
  delayMs(attempts: number): number;
  attemptsMax: number;
}

/** Short enough after a night of downtime (RFC 5321 §4.5.4.1 recommends hours). */
const delayMaxMs = 4 * 3_600_000;

/**
 * Plans delays that double from the first up to four hours, until their sum reaches `giveUpMs`. Jitter of a
 * quarter keeps mails from returning all at once.
 */
export function retryScheduleOf(firstMs: number, giveUpMs: number): RetrySchedule {
  const planned = (attempts: number): number =>
    Math.min(delayMaxMs, Math.max(1, firstMs) * 2 ** Math.min(attempts - 1, 40));
  let attemptsMax = 1;
  for (let waitedMs = 0; waitedMs + planned(attemptsMax) <= giveUpMs; attemptsMax++) {
    waitedMs += planned(attemptsMax);
  }
  return { attemptsMax, delayMs: (attempts) => planned(attempts) * (0.75 + Math.random() / 2) };
}
