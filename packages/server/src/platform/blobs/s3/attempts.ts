import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Body } from './body.ts';
import { failureOf, isPassing, S3Error, StoreHangs } from './errors.ts';

/** Attempts of one request, and the wait before the second; each further wait is twice as long. */
const attemptsMax = 5;
const waitMs = 100;
/** No further attempt begins after this. */
const patienceMs = 30_000;
/** A store that neither accepts bytes nor begins to answer for this long hangs. It is not asked again. */
export const answerMs = 5_000;
/** Bytes of a body that the system may still hold when all seem sent. */
const unsentBytesMax = 4 << 20;
/** Lowest rate at which these are sent, in bytes a second. */
const unsentRate = 1 << 20;
/** Time until the first probe beside a request that may take minutes. */
const probeAfterMs = 1_000;

/** Arguments of one attempt for a request of the SDK. */
export interface Attempt {
  options: { abortSignal?: AbortSignal };
  body: { Body?: Readable; ContentLength?: number };
}

export interface Request {
  body?: Body;
  signal?: AbortSignal | undefined;
  /** Asks the store for anything, where it copies or joins objects before it answers: a store that hangs answers nothing. */
  probe?: (signal: AbortSignal) => Promise<unknown>;
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
    { body, signal, probe }: Request,
    send: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw new S3Error(operation, 0, '');
    const hung = new AbortController();
    const unsentMs = (Math.min(body?.size ?? 0, unsentBytesMax) / unsentRate) * 1000;
    const timer = probe ? undefined : setTimeout(() => hung.abort(), answerMs + unsentMs);
    const stream =
      body &&
      Readable.from(
        counted(body.open(), () => timer?.refresh()),
        { objectMode: false },
      );
    // A body that fails ends its request, which would else wait for the rest.
    const failed = new AbortController();
    stream?.on('error', (error) => failed.abort(error));
    const ended = new AbortController();
    if (probe) void hangs(probe, ended.signal).then((isHung) => isHung && hung.abort());
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
      // Bytes that follow the beginning of an answer are awaited by their reader.
      clearTimeout(timer);
      ended.abort();
      stream?.destroy();
    }
  }
}

async function* counted(source: Readable, onChunk: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    onChunk();
    yield chunk;
  }
}

/** Probes a store until `ended`; resolves to true once it does not answer. A refusal is an answer. */
async function hangs(probe: NonNullable<Request['probe']>, ended: AbortSignal): Promise<boolean> {
  await pause(probeAfterMs, ended);
  while (!ended.aborted) {
    const late = AbortSignal.timeout(answerMs - probeAfterMs);
    await probe(AbortSignal.any([late, ended])).catch(() => undefined);
    if (late.aborted && !ended.aborted) return true;
    await pause(answerMs, ended);
  }
  return false;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
