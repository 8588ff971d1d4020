import { pipeline, type Readable, Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** A signal to a whole pipe may reach its first program moments before this one. */
const delayMs = 250;

/**
 * Passes on the output of another program, and its end a moment later: a program that is killed closes its output like one
 * that has written everything. An abort within that moment becomes an error in place of the end.
 */
export function withDelayedEnd(source: Readable, signal: AbortSignal): Readable {
  const delayed = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => {
      wait(delayMs, undefined, { signal }).then(() => done(), done);
    },
  });
  // An error of either side destroys the other one; readers of `delayed` get the error.
  return pipeline(source, delayed, () => undefined);
}
