import { randomBytes } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { build } from '../../base/version.ts';
import type { PlatformLog } from '../records/log.ts';
import { currentTrace, type TracedWork, tracedWork } from './traced.ts';

/** Spans that wait to be sent; more are left out. */
const waitingMax = 2048;
const sendEveryMs = 5_000;
const sendTimeoutMs = 10_000;

/** Kinds of spans (OTLP). */
const kinds = { internal: 1, server: 2 } as const;

/** Part of a trace. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: (typeof kinds)[keyof typeof kinds];
  startTimeUnixNano: string;
  attributes: Record<string, string | number>;
  isSampled: boolean;
}

/** The request as Fastify announces it. */
interface Handled {
  request: { headers: Record<string, string | string[] | undefined> };
  reply: { statusCode: number; raw: { once(event: 'close', listener: () => void): unknown } };
  route: { url: string; method: string };
}

/**
 * Sends spans of requests, jobs and statements to a collector (OTLP over HTTP, as JSON). A caller's `traceparent` and its
 * decision about sampling are followed; traces that begin here are all sent.
 */
export class Tracer {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #service: string;
  readonly #log: PlatformLog;
  readonly #timer: NodeJS.Timeout;
  #waiting: object[] = [];
  #hasFailed = false;

  constructor(
    { url, headers, service }: { url: string; headers: string; service: string },
    log: PlatformLog,
  ) {
    this.#url = url;
    this.#log = log;
    this.#service = service;
    this.#headers = headersOf(headers);
    this.#timer = setInterval(() => void this.flush(), sendEveryMs).unref();
    this.#followRequests();
    this.#followWork();
  }

  /** Sends what waits. A collector that is away costs these spans, and one line of the log. */
  async flush(): Promise<void> {
    const spans = this.#waiting;
    if (spans.length === 0) return;
    this.#waiting = [];
    const resource = {
      attributes: attributesOf({ 'service.name': this.#service, 'service.version': build.version }),
    };
    const scopeSpans = [{ scope: { name: 'ploidy' }, spans }];
    try {
      const { status } = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#headers },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
        signal: AbortSignal.timeout(sendTimeoutMs),
      });
      if (status >= 300) throw new Error(`The collector answered with status ${status}.`);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#log.warn({ err: error }, 'traces could not be sent; this is not repeated');
      this.#hasFailed = true;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #followRequests(): void {
    const requests = tracingChannel<Handled, string>('fastify.request.handler');
    requests.start.bindStore(currentTrace, ({ request, reply, route }) => {
      const { traceparent } = request.headers;
      const name = `${route.method} ${route.url}`;
      const span = begin(name, kinds.server, typeof traceparent === 'string' ? traceparent : undefined, {
        'http.request.method': route.method,
        'http.route': route.url,
      });
      reply.raw.once('close', () => {
        span.attributes['http.response.status_code'] = reply.statusCode;
        this.#end(span, reply.statusCode >= 500);
      });
      return traceparentOf(span);
    });
    // Stores are bound only on a channel with a subscriber.
    requests.start.subscribe(() => undefined);
  }

  #followWork(): void {
    const spans = new WeakMap<TracedWork, Span>();
    tracedWork.start.bindStore(currentTrace, (work) => {
      const span = begin(work.name, kinds.internal, work.parent, work.attributes);
      spans.set(work, span);
      return traceparentOf(span);
    });
    tracedWork.subscribe({
      start: () => undefined,
      end: () => undefined,
      asyncStart: () => undefined,
      asyncEnd: (work) => {
        const span = spans.get(work);
        if (span) this.#end(span, 'error' in work);
      },
      error: () => undefined,
    });
  }

  #end({ attributes, isSampled, ...span }: Span, hasFailed: boolean): void {
    if (!isSampled || this.#waiting.length >= waitingMax) return;
    this.#waiting.push({
      ...span,
      endTimeUnixNano: now(),
      attributes: attributesOf(attributes),
      status: hasFailed ? { code: 2 } : {},
    });
  }
}

const now = (): string =>
  String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n);

/** Begins a span. A malformed parent begins a trace of its own. */
function begin(
  name: string,
  kind: Span['kind'],
  parent: string | undefined,
  attributes: Span['attributes'],
): Span {
  const [, traceId, parentSpanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(parent ?? '') ?? [];
  return {
    traceId: traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...{ name, kind, attributes: { ...attributes }, startTimeUnixNano: now() },
    isSampled: flags === undefined || (Number.parseInt(flags, 16) & 1) === 1,
  };
}

const traceparentOf = ({ traceId, spanId, isSampled }: Span): string =>
  `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;

function attributesOf(values: Record<string, string | number>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
}

/** Reads `name=value,…`, with values in percent-encoding. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]];
  });
  return Object.fromEntries(pairs);
}
