import { Worker } from 'node:worker_threads';
import { resourceBytesMax } from '@ploidy/formats/fhir';
import { EhrError } from './ehr-error.ts';
import type { PageContent } from './page.ts';

/** What the reading thread is told. */
export type PageOrder = { kind: 'begin' } | { kind: 'chunk'; bytes: Uint8Array } | { kind: 'end' };

/** What it answers to a chunk and to the end. */
export type PageAnswer =
  | { lines: Uint8Array<ArrayBuffer> }
  | { content: PageContent }
  | { failure: 'broken' | 'tooLarge' };

/** Reads the pages of one sync, one after the other, in a thread of its own, which starts with the first of them. */
export class PageReader {
  #thread: Worker | undefined;
  #waiting: PromiseWithResolvers<PageAnswer> | undefined;

  /**
   * Reads a Bundle as it comes and gives its resources as lines (NDJSON), every number as it was written; what else it says is in
   * `content` at the end. Holds no more than a resource. Throws `EhrError` for what is no Bundle of a search.
   */
  async *read(body: AsyncIterable<Buffer>, content: PageContent): AsyncGenerator<Uint8Array> {
    this.#thread ??= this.#start();
    this.#thread.postMessage({ kind: 'begin' } satisfies PageOrder);
    for await (const chunk of body) {
      const answer = await this.#ask({ kind: 'chunk', bytes: new Uint8Array(chunk) });
      if ('lines' in answer && answer.lines.length > 0) yield answer.lines;
    }
    const answer = await this.#ask({ kind: 'end' });
    if ('content' in answer) Object.assign(content, answer.content);
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #ask(order: PageOrder): Promise<PageAnswer> {
    this.#waiting = Promise.withResolvers();
    if (this.#thread)
      this.#thread.postMessage(order, 'bytes' in order ? [order.bytes.buffer as ArrayBuffer] : []);
    else this.#waiting.reject(lost());
    const answer = await this.#waiting.promise;
    if ('failure' in answer) throw answer.failure === 'tooLarge' ? tooLarge() : broken();
    return answer;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./page-worker.ts', import.meta.url));
    const end = (error: Error): void => {
      if (this.#thread === thread) this.#thread = undefined;
      this.#waiting?.reject(error);
    };
    thread.on('message', (answer: PageAnswer) => this.#waiting?.resolve(answer));
    return thread.on('error', end).on('exit', () => end(lost()));
  }
}

function lost(): Error {
  return new Error('The thread that reads pages ended without a word.');
}

/** Proxies and overloaded systems answer with pages that are none; the next time it may be one. */
function broken(): EhrError {
  const message = 'The EHR system answered a search with something that is no Bundle.';
  return new EhrError('BROKEN_PAGE', message, { isPassing: true });
}

function tooLarge(): EhrError {
  const message = `The EHR system holds a resource that is too large: at most ${resourceBytesMax / 1024 ** 2} MiB and four million values are read.`;
  return new EhrError('RESOURCE_TOO_LARGE', message);
}
