import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when `condition` holds, looked at every few milliseconds; rejects after a time that only a hang needs. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error(`This never happened: ${what}.`);
    await delay(5);
  }
}
