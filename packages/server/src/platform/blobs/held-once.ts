import { AsyncLocalStorage } from 'node:async_hooks';

const holding = new AsyncLocalStorage<true>();

/**
 * Runs work that holds local copies. Throws when it runs within such work already: two that each hold some and wait for more would
 * wait for each other, and all others behind them (ADR 0010). Whoever needs several takes them at once.
 */
export function heldOnce<T>(work: () => Promise<T>): Promise<T> {
  if (holding.getStore()) throw new Error('Local copies were asked for by work that holds some already.');
  return holding.run(true, work);
}
