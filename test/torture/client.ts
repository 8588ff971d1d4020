import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../samples/generator/random.ts';
import type { CallOptions, Reply } from '../support/app.ts';
import type { Person } from '../support/people.ts';
import type { Journal } from './journal.ts';
import type { Life } from './life.ts';

/** Pause before what got no answer is repeated. */
export const againMs = 50;

/** Actions of one kind of client, and its invariants at the end. */
export interface Area {
  /** Each does one thing, and leaves the model as certain as it found it. */
  acts: Record<string, () => Promise<void>>;
  /** Compares what the service shows with the model. The service lives, and nothing is under way. */
  verify(): Promise<void>;
}

/** A client of the service with the answers it got. */
export class Client {
  readonly name: string;
  readonly person: Person;
  readonly random: Random;
  readonly life: Life;
  readonly journal: Journal;
  /** Changes by their name in the audit log: the number of acknowledged ones, and of those without an answer. */
  readonly changes = new Map<string, { sure: number; unsure: number }>();
  #number = 0;

  constructor(parts: Pick<Client, 'name' | 'person' | 'random' | 'life' | 'journal'>) {
    this.name = parts.name;
    this.person = parts.person;
    this.random = parts.random;
    this.life = parts.life;
    this.journal = parts.journal;
  }

  /** Returns a unique name that begins with `prefix`. */
  newName(prefix: string): string {
    this.#number += 1;
    return `${prefix}${this.name}n${this.#number}`;
  }

  /**
   * Sends one request. `undefined`: a fault took the answer, and the service may have done it or not. Any status but the
   * expected ones fails, and so does a connection that ends while the service lives.
   */
  ask(
    method: string,
    path: string,
    expected: number[],
    options: CallOptions = {},
  ): Promise<Reply | undefined> {
    const { key } = this.person;
    const work = () => this.life.call(method, path, { key, ...options });
    return this.#once(`${method} ${path}`, expected, work);
  }

  /** Asks until there is an answer: what reads, or may be repeated. */
  async askUntil(
    method: string,
    path: string,
    expected: number[],
    options: CallOptions = {},
  ): Promise<Reply> {
    for (;;) {
      const reply = await this.ask(method, path, expected, options);
      if (reply !== undefined) return reply;
      await delay(againMs);
    }
  }

  /** Requests a change that the audit log records under each of these actions, once. */
  async change(
    actions: string | readonly string[],
    ...[method, path, expected, options]: Parameters<Client['ask']>
  ): Promise<Reply | undefined> {
    const reply = await this.ask(method, path, expected, options);
    for (const action of [actions].flat()) {
      const counts = this.changes.get(action) ?? { sure: 0, unsure: 0 };
      this.changes.set(action, counts);
      // 503: the records may have taken the change before they fell silent.
      if (reply === undefined || reply.status === 503) counts.unsure += 1;
      else if (reply.status < 300) counts.sure += 1;
    }
    return reply;
  }

  /** Puts bytes to a signed address. */
  put(url: string, bytes: Uint8Array): Promise<Reply | undefined> {
    return this.#once('PUT bytes', [200], () => atAddress(url, { method: 'PUT', body: bytes as never }));
  }

  /** Gets what is at a signed address. */
  get(url: string): Promise<Reply | undefined> {
    return this.#once('GET bytes', [200], () => atAddress(url));
  }

  /** Repeats an idempotent request until it is acknowledged. */
  async putUntil(url: string, bytes: Uint8Array): Promise<void> {
    while ((await this.put(url, bytes)) === undefined) await delay(againMs);
  }

  /** Waits for the end of an ingestion; whether it succeeded. */
  async hasSucceeded(path: string): Promise<boolean> {
    for (;;) {
      const { body } = await this.askUntil('GET', path, [200]);
      if (!['queued', 'running'].includes(body.state)) return body.state === 'succeeded';
      await delay(againMs);
    }
  }

  /** Asserts that faults explain why work failed. */
  assertExplained(error: { code: string } | undefined): void {
    this.journal.count(`work failed: ${error?.code}`);
    assert.ok(this.life.reasons.includes(error?.code ?? ''), `${this.name}: ${JSON.stringify(error)}`);
  }

  async #once(act: string, expected: number[], work: () => Promise<Reply>): Promise<Reply | undefined> {
    await this.life.up;
    const isExplained = this.life.watch();
    try {
      const reply = await work();
      this.journal.note(this.name, act, reply.status);
      if (isExplained(reply.status)) return undefined;
      if (expected.includes(reply.status)) return reply;
      throw new Error(`${this.name}: ${act} was answered with ${reply.status} ${reply.text.slice(0, 500)}`);
    } catch (error) {
      // Errors of fetch for a connection refused, reset or cut off in the middle of an answer.
      if (!(error instanceof TypeError)) throw error;
      this.journal.note(this.name, act, 'no answer');
      if (isExplained()) return undefined;
      throw new Error(`${this.name}: ${act} got no answer of a service that lived`, { cause: error });
    }
  }
}

/** Asks at a signed address, of the service or of the bucket. An error of the bucket is no answer of the service. */
async function atAddress(url: string, request?: RequestInit): Promise<Reply> {
  const response = await fetch(url, request);
  const { status, headers } = response;
  const text = await response.text();
  if (status >= 400 && !headers.has('x-request-id'))
    throw new TypeError(`The bucket answered with ${status}.`);
  return { status, headers, text, body: undefined };
}
