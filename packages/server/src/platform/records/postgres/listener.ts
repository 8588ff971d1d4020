import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { databaseNowText } from '../clock.ts';
import type { PlatformLog } from '../log.ts';
import { changesKeptMs } from '../trim.ts';
import { clientConfig } from './pools.ts';

/** The channel of LISTEN and NOTIFY; payloads are `<seq> <topic>`. */
export const channel = 'ploidy_changes';

/** Channel on which a process receives its own notice, once, when it starts. */
const probeChannel = 'ploidy_probe';
const probeMaxMs = 5_000;

/** Name in the list of the database's connections. */
export const listenerName = 'ploidy changes';

const pingEveryMs = 10_000;
const pingTimeoutMs = 5_000;
const retryMaxMs = 5_000;
/** A change is numbered when it is made and seen when it commits: no transaction takes longer than this in between. */
const overlapMs = 5 * 60_000;

interface ListenerOptions {
  url: string;
  log: PlatformLog;
  notify(topic: string): void;
  /** Called when this process was away for longer than the notice board remembers. */
  notifyAll(): void;
}

/** Receives changes over a connection of its own; after a break, connects anew and reads the missed ones from the table. */
export class ChangeListener {
  readonly #options: ListenerOptions;
  /** Recently delivered numbers by time: changes arrive by NOTIFY, the table and this process, and are delivered once. */
  readonly #deliveredAt = new Map<number, number>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Time by the clock of the database, up to which all notices were received. */
  #heardUntil = 0;
  #closed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** Connects and listens; later losses are mended in the background. Fails where notifications do not arrive. */
  async start(): Promise<void> {
    await this.#connect();
    await this.#requireHearing();
    this.#timer = setInterval(() => void this.#ping(), pingEveryMs);
    this.#timer.unref();
  }

  /** Delivers a change unless it was delivered before. */
  deliver(seq: number, topic: string): void {
    if (this.#deliveredAt.has(seq)) return;
    this.#deliveredAt.set(seq, Date.now());
    this.#options.notify(topic);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #connect(): Promise<void> {
    const config = { ...clientConfig(this.#options.url), application_name: listenerName };
    const client = new pg.Client({ ...config, query_timeout: pingTimeoutMs });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ channel: name, payload = '' }) => {
      if (name !== channel) return;
      const cut = payload.indexOf(' ');
      this.deliver(Number(payload.slice(0, cut)), payload.slice(cut + 1));
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      await this.#readMissed(client);
    } catch (error) {
      await this.#discard(client);
      throw error;
    }
    this.#client = client;
    if (this.#closed) await this.close();
  }

  /**
   * Requires a connection of its own: a pooler that shares connections by transaction accepts LISTEN and drops its notices.
   * Rights would change unnoticed.
   */
  async #requireHearing(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const probe = randomUUID();
    const { promise: heard, resolve } = Promise.withResolvers<boolean>();
    const hear = ({ payload }: pg.Notification): unknown => payload === probe && resolve(true);
    client.on('notification', hear);
    await client.query(`listen ${probeChannel}`);
    await this.#notify(probe);
    const isHeard = await Promise.race([heard, delay(probeMaxMs, false, { ref: false })]);
    client.off('notification', hear);
    if (!isHeard)
      throw new Error(
        'PLOIDY_DATABASE_URL leads to a pooler that shares connections by transaction, through which notifications do not arrive: connect to PostgreSQL itself, or pool by session.',
      );
    await client.query(`unlisten ${probeChannel}`);
  }

  /** Sends a probe over another connection. */
  async #notify(probe: string): Promise<void> {
    const other = new pg.Client(clientConfig(this.#options.url));
    // A connection that breaks fails its statement; unheard it would end the process too.
    other.on('error', () => undefined);
    try {
      await other.connect();
      await other.query('select pg_notify($1, $2)', [probeChannel, probe]);
    } finally {
      await other.end();
    }
  }

  /** LISTEN is in force by now, so nothing falls between this and the notifications. */
  async #readMissed(client: pg.Client): Promise<void> {
    const first = this.#heardUntil === 0;
    const now = await readNow(client);
    const since = (first ? now : this.#heardUntil) - overlapMs;
    if (!first && since < now - changesKeptMs) this.#options.notifyAll();
    const { rows } = await client.query<{ seq: number; topic: string }>(
      'select seq, topic from changes where at >= $1 order by seq',
      [since],
    );
    for (const { seq, topic } of rows) {
      // At the start there is nothing yet that a past change could make stale.
      if (first) this.#deliveredAt.set(seq, Date.now());
      else this.deliver(seq, topic);
    }
    this.#heardUntil = now;
  }

  /** Tests the connection, whose death may go unnoticed, and trims the memory of delivered changes. */
  async #ping(): Promise<void> {
    for (const [seq, at] of this.#deliveredAt) {
      if (at > Date.now() - 2 * overlapMs) break;
      this.#deliveredAt.delete(seq);
    }
    const client = this.#client;
    if (client === undefined) return;
    try {
      this.#heardUntil = await readNow(client);
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    void this.#discard(client);
    this.#options.log.warn({}, 'the connection that hears of changes was lost; it is made anew');
    void this.#reconnect();
  }

  async #discard(client: pg.Client): Promise<void> {
    try {
      await client.end();
    } catch (error) {
      this.#options.log.info({ err: error }, 'a lost connection could not be ended in order');
    }
  }

  async #reconnect(): Promise<void> {
    for (let waitMs = 50; !this.#closed; waitMs = Math.min(2 * waitMs, retryMaxMs)) {
      try {
        await this.#connect();
        this.#options.log.info(
          {},
          'the connection that hears of changes is back, and what it missed was read',
        );
        return;
      } catch (error) {
        this.#options.log.warn({ err: error }, 'the connection that hears of changes cannot be made yet');
        await delay(waitMs, undefined, { ref: false });
      }
    }
  }
}

async function readNow(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ now: number }>(`select ${databaseNowText} as now`);
  return rows[0]?.now ?? 0;
}
