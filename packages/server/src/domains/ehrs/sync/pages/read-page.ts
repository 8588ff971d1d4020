import { Worker } from 'node:worker_threads';
import { resourceBytesMax } from '@ploidy/formats/fhir';
import { EhrError } from '../../fhir-server/ehr-error.ts';
import type { PageContent } from './page-content.ts';

/** Message to the reading thread. */
export type PageOrder = { kind: 'begin' } | { kind: 'chunk'; bytes: Uint8Array } | { kind: 'end' };

/** Reply of the thread. */
export type PageAnswer =
  | { lines: Uint8Array<ArrayBuffer> }
  | { content: PageContent }
  | { failure: 'broken' | 'tooLarge' };

/** Reads the pages of one sync in a thread of its own, which starts with the first page. */
export class PageReader {
  #thread: Worker | undefined;
  #waiting: PromiseWithResolvers<PageAnswer> | undefined;

  /**
   * Reads a Bundle as it arrives and yields its resources as NDJSON lines, with numbers as written. `content`
   * has its other fields at the end. Buffers one resource at most. Throws `EhrError` if it is no searchset
   * Bundle.
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

/** Error of an unreadable page, which may be transient: proxies and overloaded systems send such pages. */
function broken(): EhrError {
  const message = 'The EHR system answered a search with something that is no Bundle.';
  return new EhrError('BROKEN_PAGE', message, { isPassing: true });
}

function tooLarge(): EhrError {
  const message = `The EHR system holds a resource that is too large: at most ${resourceBytesMax / 1024 ** 2} MiB and four million values are read.`;
  return new EhrError('RESOURCE_TOO_LARGE', message);
}
