import { AsyncLocalStorage } from 'node:async_hooks';

const holding = new AsyncLocalStorage<{ holds: boolean }>();

/**
 * Runs work that holds local copies. Throws within such work: two works that each hold some and wait for more would deadlock,
 * and all others behind them (ADR 0010). Work that needs several copies requests them at once.
 */
export async function heldOnce<T>(work: () => Promise<T>): Promise<T> {
  if (holding.getStore()?.holds)
    throw new Error('Local copies were asked for by work that holds some already.');
  const held = { holds: true };
  try {
    return await holding.run(held, work);
  } finally {
    // Asynchronous work that it began keeps this context.
    held.holds = false;
  }
}
