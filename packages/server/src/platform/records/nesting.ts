import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Refuses a transaction that is begun inside another one. On SQLite the inner one would wait for the outer batch, on PostgreSQL
 * for an outer connection. Either could wait for ever.
 */
export class NestingGuard {
  readonly #scope = new AsyncLocalStorage<{ open: boolean }>();

  /** Runs the body of a transaction; it counts as open until its promise settles. */
  async run<T>(body: () => Promise<T>): Promise<T> {
    const scope = { open: true };
    try {
      return await this.#scope.run(scope, body);
    } finally {
      scope.open = false;
    }
  }

  /** Throws inside an open transaction. What a transaction started and left running may begin its own once it has ended. */
  check(): void {
    if (this.#scope.getStore()?.open === true) {
      throw new Error('transact was called inside a transaction: use its tx, or begin after it has ended');
    }
  }
}
