import { Problem } from '../../base/problem.ts';
import type { Audit, AuditEvent } from '../../domains/audit/index.ts';
import { eachAlone } from '../../platform/concurrency/each-alone.ts';

/** Refusals of a caller in an account that are recorded one by one within a minute. */
const writtenMax = 60;
const windowMs = 60_000;

interface Count {
  last: Omit<AuditEvent, 'outcome'>;
  total: number;
}

/**
 * Records refusals in the audit log, a limited number a minute for each caller and account, and the count of the others. Each is a
 * durable commit, so that any caller could fill the disk otherwise. A crash loses at most the counts of one minute.
 */
export class Refusals {
  readonly #audit: Pick<Audit, 'record'>;
  #windowStart = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, Count>();

  constructor(audit: Pick<Audit, 'record'>) {
    this.#audit = audit;
  }

  async record(event: Omit<AuditEvent, 'outcome'>): Promise<void> {
    const now = performance.now();
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      await this.flush();
    }
    const key = JSON.stringify([event.account, event.userId]);
    const total = (this.#counts.get(key)?.total ?? 0) + 1;
    this.#counts.set(key, { last: event, total });
    if (total <= writtenMax) await this.#audit.record({ ...event, outcome: 'refused' });
  }

  /** Records the counts since the last flush. A count that cannot be written is kept. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      const write = async ([key, count]: [string, Count]): Promise<void> => {
        if (count.total > writtenMax) await this.#summarise(count);
        counts.delete(key);
      };
      await eachAlone([...counts], write, {
        failed: 'refusals could not be counted; it is tried again',
        about: ([, { last }]) => ({ account: last.account }),
      });
    } finally {
      for (const [key, { last, total }] of counts) {
        this.#counts.set(key, { last, total: total + (this.#counts.get(key)?.total ?? 0) });
      }
    }
  }

  async #summarise({ last: { account, userId, via }, total }: Count): Promise<void> {
    const event: AuditEvent = {
      account,
      userId,
      via,
      action: 'refusals',
      resource: { type: 'account', id: account },
      outcome: 'refused',
      details: { notWritten: total - writtenMax },
    };
    await this.#audit.record(event).catch((error: unknown) => {
      // The account has been removed since, with its log.
      if (!(error instanceof Problem && error.status === 404)) throw error;
    });
  }
}
