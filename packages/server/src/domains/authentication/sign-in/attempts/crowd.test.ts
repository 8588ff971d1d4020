/** Sign-ins of other users while a client behind the same address guesses without end. */
import assert from 'node:assert/strict';
import { silent, testOnRecords } from '../../../../../../../test/support/records.ts';
import type { Records } from '../../../../platform/records/records.ts';
import { Forms } from '../forms.ts';
import { Delays } from './backoff.ts';
import { sourcesOf } from './sources.ts';

const key = Buffer.alloc(32, 1);
const address = '192.0.2.1';

/** Browsers behind one address, by a clock that the test holds. */
class Network {
  now = 1e12;
  readonly #delays: Delays;
  readonly #forms: Forms;

  constructor(records: Records) {
    this.#delays = new Delays(records, key, () => this.now);
    this.#forms = new Forms(
      key,
      () => 'http://127.0.0.1',
      silent,
      () => this.now,
    );
  }

  /** Shows the form in a new browser; returns its headers. */
  open(): { cookie: string } {
    return { cookie: this.#forms.bind({ headers: {} }).headers['set-cookie']?.split(';', 1)[0] ?? '' };
  }

  async attempt(email: string, headers: { cookie: string }): Promise<number> {
    const sources = sourcesOf(this.#forms.browserOf({ headers }), address);
    return this.#delays.take([{ kind: 'user', name: email }, ...sources]);
  }

  /** Takes back the delays that the right password ends. */
  async succeed(email: string, headers: { cookie: string }): Promise<void> {
    await this.#delays.clear([{ kind: 'user', name: email }]);
    await this.#delays.undo(sourcesOf(this.#forms.browserOf({ headers }), address));
  }
}

testOnRecords(
  'while a flood of new browsers guesses, each other user behind the address waits at most once, and five seconds',
  async ({ open }) => {
    const network = new Network(await open());
    let guesses = 0;
    const old = Array.from({ length: 40 }, () => network.open());
    /** Asks with browsers of every age: just opened, and kept for this. */
    const flood = () =>
      Promise.all(
        [network.open(), network.open(), old.pop() ?? network.open()].map((headers) =>
          network.attempt(`x${guesses++}@nowhere.test`, headers),
        ),
      );
    network.now += 60_000;
    while (!(await flood()).every((waitMs) => waitMs > 0));
    for (let person = 0; person < 10; person += 1) {
      const email = `v${person}@example.test`;
      const browser = network.open();
      const waits: number[] = [];
      while (waits.length < 3) {
        await flood();
        const [waitMs] = await Promise.all([network.attempt(email, browser), flood()]);
        if (waitMs === 0) break;
        waits.push(waitMs);
        // The flood goes on all the time, at each opening first.
        for (let left = waitMs; left > 0; left -= 500) {
          network.now += Math.min(500, left);
          await flood();
        }
      }
      assert.ok(waits.length <= 1 && (waits[0] ?? 0) <= 5000, `${email} waited ${waits.join(', ')} ms`);
      await network.succeed(email, browser);
    }
  },
);

testOnRecords('a user who mistypes in a flood has another turn five seconds later', async ({ open }) => {
  const network = new Network(await open());
  const browser = network.open();
  const flood = async () => {
    for (let guess = 0; guess < 102; guess += 1)
      await network.attempt(`x${guess}@nowhere.test`, network.open());
  };
  await flood();
  network.now += 5000;
  await flood();
  assert.equal(await network.attempt('jane@example.test', browser), 0);
  assert.equal(await network.attempt('jane@example.test', browser), 5000);
  network.now += 5000;
  await flood();
  assert.equal(await network.attempt('jane@example.test', browser), 0);
});

testOnRecords('any number of old browsers guesses one password no faster than one does', async ({ open }) => {
  const network = new Network(await open());
  const browsers = Array.from({ length: 300 }, () => network.open());
  network.now += 3_600_000;
  const begin = network.now;
  let guesses = 0;
  for (const headers of browsers) {
    if ((await network.attempt('jane@example.test', headers)) === 0) guesses += 1;
    network.now += 2000;
  }
  // Five at once, then the doubling delays up to a minute; one failure is forgotten in ten minutes.
  assert.ok(guesses >= 10 && guesses <= 5 + 7 + (network.now - begin) / 60_000, `${guesses} guesses`);
});
