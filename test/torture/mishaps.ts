import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../samples/generator/random.ts';
import type { MortalService } from '../crash/mortal-service.ts';
import { killWorkers, signal } from '../crash/worker-processes.ts';
import type { Fault } from '../support/s3/server.ts';
import { clockAt } from '../upgrade/frozen/clock.ts';
import type { Fleet } from './fleet.ts';
import type { WireState } from './wire.ts';

const mebibyte = 2 ** 20;
const workers = ['query', 'conversion', 'rewrite', 'answer', 'guard'] as const;
/** More than S3 forgives, less than tokens live. */
const wrongMs = 20 * 60_000;

/** Faults of a fleet of processes, one after the other, in each round in another order. */
export class Mishaps {
  readonly #fleet: Fleet;
  readonly #random: Random;
  /** Milliseconds for which something is away. */
  readonly #awayMs: number;
  #waiting: [string, () => Promise<void>][] = [];
  rounds = 0;

  constructor(fleet: Fleet, random: Random, awayMs: number) {
    this.#fleet = fleet;
    this.#random = random;
    this.#awayMs = awayMs;
  }

  /** Lets the next thing go wrong. */
  async next(): Promise<void> {
    if (this.#waiting.length === 0) {
      this.#waiting = this.#all();
      this.rounds += 1;
    }
    const at = this.#random.below(this.#waiting.length);
    const [[name, fault] = ['', async () => undefined]] = this.#waiting.splice(at, 1);
    await this.#fleet.suffer(name, fault);
    await delay((this.#random.next() * this.#awayMs) / 2);
  }

  #all(): [string, () => Promise<void>][] {
    const { services, disk } = this.#fleet;
    return [
      ...services.flatMap((service, at): [string, () => Promise<void>][] => [
        [`process ${at} is killed`, () => this.#kill(service)],
        [`process ${at} stands still`, () => this.#freeze(service)],
      ]),
      ['a clock is ahead', () => this.#setClock(wrongMs)],
      ['a clock is behind', () => this.#setClock(-wrongMs)],
      ['workers are killed', async () => this.#killWorkers()],
      ['the database hangs up', () => this.#cut('cut')],
      ['the database is silent', () => this.#cut('silent')],
      ['the bucket is away', () => this.#disturbBucket(() => 'drop')],
      ['the bucket fails', () => this.#disturbBucket(() => ({ status: 500, code: 'InternalError' }), 0.3)],
      ['the bucket is slow', () => this.#disturbBucket(() => ({ after: delay(1000) }), 0.3)],
      ['answers of the bucket end early', () => this.#disturbBucket(() => 'cut', 0.3)],
      ['answers of the bucket are lost', () => this.#disturbBucket(() => 'lose answer', 0.3)],
      ...(disk ? [['a disk is full', () => this.#fillDisk()] satisfies [string, () => Promise<void>]] : []),
    ];
  }

  async #kill(service: MortalService, more: Record<string, string> = {}): Promise<void> {
    await service.kill();
    await delay((this.#random.next() * this.#awayMs) / 4);
    await service.restart(more);
  }

  /** Others take over its work before it goes on. */
  async #freeze({ server }: MortalService): Promise<void> {
    signal(server.process.pid ?? 0, 'SIGSTOP');
    await delay(this.#awayMs);
    signal(server.process.pid ?? 0, 'SIGCONT');
  }

  /** One process works for a while by a wrong clock. */
  async #setClock(aheadMs: number): Promise<void> {
    const service = this.#random.pick([...this.#fleet.services]);
    await this.#kill(service, clockAt(Date.now() + aheadMs));
    await delay(this.#awayMs);
    await this.#kill(service);
  }

  #killWorkers(): void {
    for (const service of this.#fleet.services) killWorkers(service, this.#random.pick(workers));
  }

  async #cut(state: WireState): Promise<void> {
    const { wire } = this.#fleet;
    wire.set(state);
    await delay(this.#awayMs);
    wire.set('open');
  }

  async #disturbBucket(fault: () => Fault, chance = 1): Promise<void> {
    const { s3 } = this.#fleet;
    s3.fault = () => (this.#random.chance(chance) ? fault() : undefined);
    await delay(this.#awayMs);
    s3.fault = () => undefined;
  }

  async #fillDisk(): Promise<void> {
    const { disk } = this.#fleet;
    disk?.fill(this.#random.below(2) * mebibyte);
    await delay(this.#awayMs);
    disk?.free();
  }
}
