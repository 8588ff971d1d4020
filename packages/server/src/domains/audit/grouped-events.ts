import { Problem } from '../../base/problem.ts';
import { eachAlone } from '../../platform/concurrency/each-alone.ts';
import type { Audit, AuditEvent } from './audit.ts';

/** Time for which events of a group are counted. */
const windowMs = 60_000;

/** Events of one kind, of which many may come from one caller. */
interface Grouping {
  /** Events of a group that are recorded one by one within a minute. */
  writtenMax: number;
  /** Returns the key of the group of an event. */
  keyOf(event: AuditEvent): string;
  /** Returns the event that represents further ones of a group: their number, and the last of them. */
  summaryOf(last: AuditEvent, further: number): AuditEvent;
}

interface Count {
  last: AuditEvent;
  total: number;
}

/**
 * Records the first events of each group in a minute, and the number of the others. Each is a durable commit, so that any caller
 * could fill the disk otherwise. A crash loses at most the counts of one minute.
 */
export abstract class GroupedEvents {
  readonly #audit: Pick<Audit, 'record'>;
  readonly #grouping: Grouping;
  #windowStart = performance.now();
  #counts = new Map<string, Count>();

  constructor(audit: Pick<Audit, 'record'>, grouping: Grouping) {
    this.#audit = audit;
    this.#grouping = grouping;
  }

  /** Counts an event. Resolves once it is durable, if it is one of the first. */
  protected async add(event: AuditEvent): Promise<void> {
    const key = this.#grouping.keyOf(event);
    const total = (this.#counts.get(key)?.total ?? 0) + 1;
    this.#counts.set(key, { last: event, total });
    if (total <= this.#grouping.writtenMax) await this.#audit.record(event);
  }

  /** Records the counts when their minute is over; called every few seconds. */
  async flushDue(): Promise<void> {
    const now = performance.now();
    if (now - this.#windowStart < windowMs) return;
    this.#windowStart = now;
    await this.flush();
  }

  /** Records the counts since the last flush. A count that cannot be written is kept. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      const write = async ([key, count]: [string, Count]): Promise<void> => {
        if (count.total > this.#grouping.writtenMax) await this.#summarise(count);
        counts.delete(key);
      };
      await eachAlone([...counts], write, {
        failed: 'events could not be counted; it is tried again',
        about: ([, { last }]) => ({ account: last.account, action: last.action }),
      });
    } finally {
      for (const [key, { last, total }] of counts) {
        this.#counts.set(key, { last, total: total + (this.#counts.get(key)?.total ?? 0) });
      }
    }
  }

  async #summarise({ last, total }: Count): Promise<void> {
    const event = this.#grouping.summaryOf(last, total - this.#grouping.writtenMax);
    await this.#audit.record(event).catch((error: unknown) => {
      // The account has been removed since, with its log.
      if (!(error instanceof Problem && error.status === 404)) throw error;
    });
  }
}
