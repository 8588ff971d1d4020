/** How long, and how often, a mail is tried. */
export interface Patience {
  /** How long it waits after its nth attempt failed. */
  delayMs(attempts: number): number;
  attemptsMax: number;
}

/** Servers that are down for a night are found again soon enough (RFC 5321 §4.5.4.1 speaks of hours). */
const delayMaxMs = 4 * 3_600_000;

/**
 * Waits that double from the first to four hours, a quarter more or less so that mails do not come back all at once, until all
 * of them together last as long as the service is to try.
 */
export function patienceOf(firstMs: number, giveUpMs: number): Patience {
  const planned = (attempts: number): number =>
    Math.min(delayMaxMs, Math.max(1, firstMs) * 2 ** Math.min(attempts - 1, 40));
  let attemptsMax = 1;
  for (let waitedMs = 0; waitedMs + planned(attemptsMax) <= giveUpMs; attemptsMax++) {
    waitedMs += planned(attemptsMax);
  }
  return { attemptsMax, delayMs: (attempts) => planned(attempts) * (0.75 + Math.random() / 2) };
}
