import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../samples/generator/random.ts';
import type { MortalService } from '../crash/mortal-service.ts';
import { killWorkers, type WorkerKind } from '../crash/worker-processes.ts';
import type { Call } from '../inputs/project.ts';
import type { Journal } from './journal.ts';

/** The service under torture as its clients see it. */
export interface Life {
  readonly call: Call;
  /** Account of the first start. */
  readonly account: string;
  /** Settings of a process that works on its records beside it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Data folders of its processes. */
  readonly folders: readonly string[];
  /** Codes of failed work that its faults explain. */
  readonly reasons: readonly string[];
  /** Resolves while it lives. */
  readonly up: Promise<void>;
  /**
   * Watches it during a request. The answer reports whether a fault explains how that request ended; `status`: absent without an
   * answer.
   */
  watch(): (status?: number) => boolean;
}

const pauseMaxMs = 4000;
const workers = ['query', 'conversion', 'rewrite', 'answer', 'guard'] as const;

/** One process, which dies and lives again while others work with it. */
export class OneLife implements Life {
  readonly service: MortalService;
  readonly reasons = ['INTERRUPTED'];
  readonly #journal: Journal;
  #up: Promise<void> = Promise.resolve();
  #workerKills = 0;

  constructor(service: MortalService, journal: Journal) {
    this.service = service;
    this.#journal = journal;
  }

  get call(): Call {
    return this.service.call;
  }

  get account(): string {
    return this.service.server.account;
  }

  get settings(): Record<string, string> {
    return { ...this.service.settings, PLOIDY_DATA_DIR: this.service.folder };
  }

  get folders(): string[] {
    return [this.service.folder];
  }

  get up(): Promise<void> {
    return this.#up;
  }

  watch(): (status?: number) => boolean {
    const { deaths } = this.service;
    const kills = this.#workerKills;
    // 503: the process that reads statements was killed while it started.
    return (status) =>
      (status === undefined && this.service.deaths !== deaths) ||
      (status === 503 && this.#workerKills !== kills);
  }

  /** Dies at once, and is started again; `between`: what is done while it is dead. */
  async die(between: () => void | Promise<void> = () => undefined): Promise<void> {
    this.#journal.note('', 'SIGKILL of the service', '');
    this.#journal.count('killed service');
    this.#up = this.service
      .kill()
      .then(between)
      .then(() => this.service.restart());
    await this.#up;
    this.#journal.note('', 'the service lives', '');
  }

  /** Kills it, or the processes of a kind that work for it, at a random moment. */
  async suffer(random: Random, chanceOfDeath: number): Promise<void> {
    await delay(random.next() * pauseMaxMs);
    if (random.chance(chanceOfDeath)) await this.die();
    else this.#killWorkers(random.pick(workers));
  }

  #killWorkers(kind: WorkerKind): void {
    const count = killWorkers(this.service, kind);
    this.#workerKills += count;
    this.#journal.note('', `SIGKILL of ${count} ${kind} processes`, '');
    for (let one = 0; one < count; one += 1) this.#journal.count(`killed ${kind}`);
  }
}
