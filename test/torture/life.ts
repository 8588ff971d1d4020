import type { MortalService } from '../crash/mortal-service.ts';
import { killWorkers, type WorkerKind } from '../crash/worker-processes.ts';
import type { Journal } from './journal.ts';

/** The service under torture: it dies and lives again while others work with it. */
export class Life {
  readonly service: MortalService;
  readonly #journal: Journal;
  #up: Promise<void> = Promise.resolve();

  constructor(service: MortalService, journal: Journal) {
    this.service = service;
    this.#journal = journal;
  }

  /** Resolves while it lives. */
  get up(): Promise<void> {
    return this.#up;
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

  /** Kills the processes of a kind that work for it. */
  killWorkers(kind: WorkerKind): void {
    const count = killWorkers(this.service, kind);
    this.#journal.note('', `SIGKILL of ${count} ${kind} processes`, '');
    for (let one = 0; one < count; one += 1) this.#journal.count(`killed ${kind}`);
  }
}
