import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

/** Work that ends when its door is opened, and what of it has begun. */
class Rooms {
  readonly begun: string[] = [];
  most = 0;
  readonly #doors: (() => void)[] = [];
  #open = 0;

  readonly work = (name: string) => async (): Promise<string> => {
    this.begun.push(name);
    this.most = Math.max(this.most, ++this.#open);
    await new Promise<void>((resolve) => this.#doors.push(resolve));
    this.#open--;
    return name;
  };

  /** Ends the work that began first. */
  async end(): Promise<void> {
    while (this.#doors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.#doors.shift()?.();
  }
}

test('so many run at once, the next wait in line, and beyond the line they are told so', async () => {
  const turns = new Turns(2, { waitingMax: 3, tooMany: () => new Error('come back') });
  const rooms = new Rooms();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const five = Promise.all(names.map((name) => turns.take(rooms.work(name))));
  await assert.rejects(turns.take(rooms.work('f')), /come back/);
  for (const _ of names) await rooms.end();
  assert.deepEqual(await five, names);
  assert.equal(rooms.most, 2);
  await assert.rejects(
    turns.take(() => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await turns.take(async () => 'free again'), 'free again');
});

test('those who wait get their turns in their order, however many keep coming in between', async () => {
  const turns = new Turns(2);
  const rooms = new Rooms();
  const asked: string[] = [];
  const all: Promise<string>[] = [];
  const ask = (): void => {
    const name = String(asked.length);
    asked.push(name);
    all.push(turns.take(rooms.work(name)));
  };
  for (let count = 0; count < 4; count++) ask();
  for (let count = 0; count < 50; count++) {
    await rooms.end();
    // One in the same turn of the event loop and one after each step of the hand-over: none may slip into the place.
    ask();
    for (let step = 0; step < 4; step++) {
      await Promise.resolve();
      ask();
    }
  }
  for (let left = asked.length - 50; left > 0; left--) await rooms.end();
  assert.deepEqual(await Promise.all(all), asked);
  assert.deepEqual(rooms.begun, asked);
  assert.equal(rooms.most, 2);
});
