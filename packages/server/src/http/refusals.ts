import type { Audit, AuditEvent } from '../domains/audit/index.ts';
import { Problem } from '../problem.ts';

/** Refusals of one caller in one account that are written one by one within a minute. */
const writtenMax = 60;
const windowMs = 60_000;

interface Count {
  last: Omit<AuditEvent, 'outcome'>;
  total: number;
}

/**
 * Writes refusals to the audit log, a bounded number a minute for each caller and account; of those beyond it only how many
 * they were. Otherwise whoever may call at all could fill the disk with them, each a durable commit. A crash loses at most
 * the numbers of one minute.
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

  /** Writes how many were left out since the last time, and counts anew. What cannot be written now is kept. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      for (const [key, count] of counts) {
        if (count.total > writtenMax) await this.#summarise(count);
        counts.delete(key);
      }
    } catch (error) {
      for (const [key, { last, total }] of counts) {
        this.#counts.set(key, { last, total: total + (this.#counts.get(key)?.total ?? 0) });
      }
      throw error;
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
      // The account was removed meanwhile, and its log is closed.
      if (!(error instanceof Problem && error.status === 404)) throw error;
    });
  }
}
