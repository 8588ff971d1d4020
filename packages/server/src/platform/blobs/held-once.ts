import { AsyncLocalStorage } from 'node:async_hooks';

const holding = new AsyncLocalStorage<{ holds: boolean }>();

/**
 * Runs work that holds local copies. Throws when it runs within such work already: two that each hold some and wait for more would
 * wait for each other, and all others behind them (ADR 0010). Whoever needs several takes them at once.
 */
export async function heldOnce<T>(work: () => Promise<T>): Promise<T> {
  if (holding.getStore()?.holds)
    throw new Error('Local copies were asked for by work that holds some already.');
  const held = { holds: true };
  try {
    return await holding.run(held, work);
  } finally {
    // What it began goes on in its context.
    held.holds = false;
  }
}
