import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { http } from '../../../node-http.ts';
import type { Body } from './body.ts';
import { isPassing, S3Error } from './errors.ts';

/** One request, signed anew for each try. */
export interface Outgoing {
  /** For messages, such as `PutObject`. */
  operation: string;
  method: string;
  url: URL;
  headers(): Record<string, string>;
  body?: Body | undefined;
  /** The store may be silent for long before it answers. */
  isSlow?: boolean;
  signal?: AbortSignal | undefined;
}

/** Tries of one request, and the wait before the second; each further wait is twice as long. */
const triesMax = 5;
const waitMs = 100;
/** No further try begins after this. */
const patienceMs = 30_000;
/** A connection on which nothing moves for this long is given up. */
const idleMs = 15_000;
/** The same where the store copies or puts together large objects before it says anything. */
const slowIdleMs = 600_000;
/** A list of a thousand keys takes about half of it. */
const answerBytesMax = 4 * 1024 * 1024;

/** The connections to one store. */
export class Transport {
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  #closed = false;

  /** The answer with its bytes unread. Rejects with `S3Error`, the connection's error or the reason of the signal. */
  async open(outgoing: Outgoing): Promise<IncomingMessage> {
    return this.#patiently(outgoing, (incoming) => Promise.resolve(incoming));
  }

  /** The answer read as text. What begins as a success and turns into an error while it lasts is an error. */
  async ask(outgoing: Outgoing): Promise<{ headers: IncomingHttpHeaders; body: string }> {
    return this.#patiently(outgoing, async (incoming) => {
      const body = await readText(incoming);
      if (/^\s*(<\?xml[^>]*>\s*)?<Error>/.test(body)) throw new S3Error(outgoing.operation, 500, body);
      return { headers: incoming.headers, body };
    });
  }

  /** Ends the connections; what is under way fails, and is not tried again. */
  close(): void {
    this.#closed = true;
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #patiently<T>(outgoing: Outgoing, take: (incoming: IncomingMessage) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await take(await this.#once(outgoing));
      } catch (error) {
        outgoing.signal?.throwIfAborted();
        const isLast = this.#closed || attempt === triesMax || performance.now() > giveUpAt;
        if (isLast || !isPassing(error)) throw error;
        // Spread, so that not all who were refused come again at the same moment.
        const wait = waitMs * 2 ** (attempt - 1) * (0.5 + Math.random());
        await delay(wait, undefined, { signal: outgoing.signal });
      }
    }
  }

  async #once(outgoing: Outgoing): Promise<IncomingMessage> {
    const { operation, method, url, headers, body, isSlow = false, signal } = outgoing;
    if (this.#closed) throw new S3Error(operation, 0, '');
    const secure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = (secure ? https : http).request(url, {
      method,
      headers: { ...headers(), ...(body && { 'content-length': String(body.size) }) },
      agent: secure ? this.#agents['https:'] : this.#agents['http:'],
      ...(signal && { signal }),
    });
    request.on('response', resolve);
    request.on('error', reject);
    const silenceMs = isSlow ? slowIdleMs : idleMs;
    request.setTimeout(silenceMs, () => request.destroy(new Error('nothing moved on the connection')));
    if (body) pipeline(body.open(), request).catch(reject);
    else request.end();
    const incoming = await promise.catch((error: unknown) => {
      request.destroy();
      throw error;
    });
    if (incoming.statusCode !== undefined && incoming.statusCode < 300) return incoming;
    const said = method === 'HEAD' ? '' : await readText(incoming);
    // Refused before the last byte: the rest need not go.
    if (!request.writableFinished) request.destroy();
    throw new S3Error(operation, incoming.statusCode ?? 0, said);
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of incoming) {
      bytes += chunk.length;
      if (bytes > answerBytesMax) throw new Error('The store answered with more than an answer can be.');
      yield chunk;
    }
  };
  return text(Readable.from(counted()));
}
