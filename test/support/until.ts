import { setTimeout as delay } from 'node:timers/promises';

/** Polling interval at first: a question to a service in the same process costs as much as its answer. */
const soonMs = 5;
const laterMs = 30;
/** The longer the wait, the rarer the look: on a busy machine the looks would take what the work needs. */
const rareMs = 250;
/** Wait from which it is long. */
const longMs = 100;
/** Only a hang needs so long, also on a machine with ten times the work that it can do. */
const giveUpMs = 5 * 60_000;

/** Polling interval for the end of work in a process of its own: it takes a fifth of a second or long, and polling slows it. */
export const workLooksMs = (waitedMs: number): number => Math.min(Math.max(25, waitedMs / 8), rareMs);

/** Resolves when `condition` holds; rejects after five minutes. `everyMs`: how often it is looked at, where the moment matters. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  everyMs?: number | ((waitedMs: number) => number),
): Promise<void> {
  const beganAt = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > giveUpMs) throw new Error(`This never happened: ${what}.`);
    const usualMs = waitedMs < longMs ? soonMs : Math.min(Math.max(laterMs, waitedMs / 16), rareMs);
    await delay(typeof everyMs === 'function' ? everyMs(waitedMs) : (everyMs ?? usualMs));
  }
}
