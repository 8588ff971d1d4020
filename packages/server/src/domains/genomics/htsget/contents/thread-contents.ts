import { Worker } from 'node:worker_threads';
import type { Chunk } from '@ploidy/formats/binning';
import { overloaded } from '../../../../base/problem.ts';
import type { BlobInfo, Blobs, ByteRange } from '../../../../platform/blobs/blobs.ts';
import { Places } from '../../../../platform/concurrency/places.ts';
import { BgzfBlob } from '../blocks/bgzf-blob.ts';
import { CramBlob } from '../blocks/cram-blob.ts';
import { notFoundWithReason, unsupportedFormat } from '../problem.ts';
import type { Header } from './header.ts';
import type { Asked, ChunkQuestion, FromThread, Outcome, Question, ToThread } from './messages.ts';

/** Heap of the thread: a header of a million names needs some hundred megabytes while it is read. */
const heapMaxMiB = 1024;
/** Questions at once, of all accounts: one that reads blobs lets others go on. */
const atOnceMax = 4;
const ownPart = 0.5;
const lineMax = 1000;

/**
 * Contents of files, read in a thread: what an owner puts into a header delays no other request. Accounts take turns where questions
 * have to wait.
 */
export class ThreadContents {
  readonly #blobs: Blobs;
  readonly #cacheBytes: number;
  readonly #turns = new Places(atOnceMax, lineMax);
  readonly #asked = new Map<number, PromiseWithResolvers<Outcome>>();
  /** Reasons of failed reads, until their question ends. */
  readonly #failures = new Map<number, unknown>();
  #thread: Worker | undefined;
  #questions = 0;

  constructor(blobs: Blobs, cacheBytes: number) {
    this.#blobs = blobs;
    this.#cacheBytes = cacheBytes;
  }

  file(blob: BlobInfo): BgzfBlob {
    return new BgzfBlob(this.#blobs, blob);
  }

  cram(blob: BlobInfo): CramBlob {
    return new CramBlob(this.#blobs, blob);
  }

  /** Returns the header of a file. Problem 400 `UnsupportedFormat` for one of another kind. */
  async header(of: Asked, account: string): Promise<Header> {
    const outcome = await this.#ask({ kind: 'header', of }, account);
    if ('header' in outcome) return outcome.header;
    throw this.#errorOf(outcome);
  }

  /** Returns the chunks that hold the records of regions. Problem 404 for an unknown sequence. */
  async chunks(of: ChunkQuestion, account: string, signal: AbortSignal): Promise<Chunk[]> {
    const outcome = await this.#ask({ kind: 'chunks', of }, account, signal);
    signal.throwIfAborted();
    if ('chunks' in outcome) return outcome.chunks;
    throw this.#errorOf(outcome);
  }

  async #ask(question: Question, account: string, signal?: AbortSignal): Promise<Outcome> {
    const turn = [{ name: account, part: ownPart }];
    if ((await this.#turns.take(turn)) !== undefined) throw overloaded();
    this.#questions += 1;
    const id = this.#questions;
    const abort = (): void => this.#post({ kind: 'abort', id });
    try {
      signal?.throwIfAborted();
      const answer = Promise.withResolvers<Outcome>();
      this.#asked.set(id, answer);
      this.#post({ kind: 'question', id, question });
      signal?.addEventListener('abort', abort, { once: true });
      return await answer.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#asked.delete(id);
      this.#turns.give(turn);
    }
  }

  #errorOf(outcome: Outcome): unknown {
    if ('refused' in outcome) return unsupportedFormat(outcome.refused);
    if ('isNameUnknown' in outcome)
      return notFoundWithReason('The file has no sequence of this name, or several that match.');
    if ('failedRead' in outcome) {
      const failure = this.#failures.get(outcome.failedRead);
      this.#failures.delete(outcome.failedRead);
      return failure ?? new Error('A read of a file failed before.');
    }
    return new Error('The contents of a file could not be read.', { cause: outcome });
  }

  #post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(message, transfer);
  }

  #start(): Worker {
    const thread = new Worker(new URL('./contents-thread.ts', import.meta.url), {
      workerData: this.#cacheBytes,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMiB },
    });
    const end = (error: Error): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of this.#asked.values()) reject(error);
    };
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'outcome') this.#asked.get(message.id)?.resolve(message.outcome);
      else void this.#read(message.id, message.key, message.range);
    });
    thread
      .on('error', end)
      .on('exit', () => end(new Error('The thread that reads contents of files ended.')));
    // A service that stops does not wait for it. Listeners are added first: they hold the process.
    thread.unref();
    return thread;
  }

  async #read(id: number, key: string, range: ByteRange): Promise<void> {
    try {
      const chunks: Buffer[] = await (await this.#blobs.open(key, range)).toArray();
      // A copy of its own, which the thread takes over.
      const bytes = new Uint8Array(Buffer.concat(chunks));
      this.#post({ kind: 'bytes', id, bytes }, [bytes.buffer]);
    } catch (error) {
      this.#failures.set(id, error);
      this.#post({ kind: 'bytes', id, bytes: undefined });
    }
  }
}
