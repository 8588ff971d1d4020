import { pipeline, type Readable, Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** A signal that ends a whole pipe may end its first program moments before this one hears of it. */
const heldMs = 250;

/**
 * Output of another program, whose end is passed on a moment later: a program that is ended closes its output like one that
 * has written everything. When `signal` is aborted before, there is an error in place of the end.
 */
export function withHeldEnd(source: Readable, signal: AbortSignal): Readable {
  const held = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => {
      wait(heldMs, undefined, { signal }).then(() => done(), done);
    },
  });
  // An error of either side destroys the other one; readers of `held` get the error.
  return pipeline(source, held, () => undefined);
}
