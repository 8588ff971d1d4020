import { setTimeout as delay } from 'node:timers/promises';

/** Polling interval at first: a question to a service in the same process costs as much as its answer. */
const soonMs = 5;
const laterMs = 30;
/** Time after which the work counts as long. */
const longMs = 100;
/** Only a hang needs so long. */
const giveUpMs = 60_000;

/** Polling interval for work in a process of its own: it lasts a fifth of a second, and polling slows it. */
export const workLooksMs = 25;

/** Resolves when `condition` holds; rejects after a minute. `everyMs`: how often it is looked at, where the moment matters. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  everyMs?: number,
): Promise<void> {
  const beganAt = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > giveUpMs) throw new Error(`This never happened: ${what}.`);
    await delay(everyMs ?? (waitedMs < longMs ? soonMs : laterMs));
  }
}
