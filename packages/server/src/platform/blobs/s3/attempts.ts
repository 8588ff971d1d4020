import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Body } from './body.ts';
import { failureOf, isPassing, S3Error, StoreHangs } from './errors.ts';

/** Attempts of one request, and the wait before the second; each further wait is twice as long. */
const attemptsMax = 5;
const waitMs = 100;
/** No further attempt begins after this. */
const patienceMs = 30_000;
/** A store that has not begun to answer a request without a body by then hangs. It is not asked again. */
const answerMs = 5_000;

/** Arguments of one attempt for a request of the SDK. */
export interface Attempt {
  options: { abortSignal?: AbortSignal };
  body: { Body?: Readable; ContentLength?: number };
}

interface Request {
  body?: Body;
  signal?: AbortSignal | undefined;
  /** Set where the store copies or joins objects before it answers. */
  isLong?: boolean;
}

/** Repeats requests whose failure may pass. Each attempt reads its body from the beginning. */
export class Attempts {
  #closed = false;

  /** Lets requests under way fail; no further one is sent. */
  close(): void {
    this.#closed = true;
  }

  /** Rejects with `S3Error`, an error of the connection, or the reason of the signal. */
  async run<T>(operation: string, request: Request, send: (attempt: Attempt) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + patienceMs;
    for (let count = 1; ; count += 1) {
      try {
        return await this.#once(operation, request, send);
      } catch (error) {
        request.signal?.throwIfAborted();
        const isLast = this.#closed || count === attemptsMax || performance.now() > giveUpAt;
        if (isLast || !isPassing(error)) throw error;
        // Random, so that clients that were refused together do not return together.
        const wait = waitMs * 2 ** (count - 1) * (0.5 + Math.random());
        await delay(wait, undefined, { signal: request.signal });
      }
    }
  }

  async #once<T>(
    operation: string,
    { body, signal, isLong }: Request,
    send: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw new S3Error(operation, 0, '');
    const stream = body?.open();
    // A body that fails ends its request, which would else wait for the rest.
    const failed = new AbortController();
    stream?.on('error', (error) => failed.abort(error));
    const hung = new AbortController();
    const timer = body || isLong ? undefined : setTimeout(() => hung.abort(), answerMs);
    const signals = [...(signal ? [signal] : []), ...(stream ? [failed.signal] : []), hung.signal];
    try {
      return await send({
        options: { abortSignal: AbortSignal.any(signals) },
        body: body && stream ? { Body: stream, ContentLength: body.size } : {},
      });
    } catch (error) {
      if (hung.signal.aborted) throw new StoreHangs(operation);
      throw failureOf(operation, failed.signal.aborted ? failed.signal.reason : error);
    } finally {
      // Bytes that follow the beginning of an answer may take longer.
      clearTimeout(timer);
      stream?.destroy();
    }
  }
}
