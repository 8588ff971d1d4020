import {
  type Outbound,
  type OutboundAnswer,
  OutboundError,
  type OutboundRequest,
} from '../../../platform/outbound/outbound.ts';
import type { Authorization } from './authorization.ts';
import { EhrError } from './ehr-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** Retry policy of requests. */
export interface RetryPolicy {
  attemptsMax: number;
  /** Wait after the first failure, doubled after each further one up to a minute. */
  waitMs: number;
  /** Longest wait that the system may request. */
  waitAskedMaxMs: number;
}

interface FhirServerDeps {
  outbound: Outbound;
  /** Base address, such as `https://host/fhir`. */
  baseUrl: string;
  authorization: Authorization;
  retry: RetryPolicy;
  /** Average milliseconds between two records. */
  delayMs: number;
  signal: AbortSignal;
  /** Resolves after this time; rejects when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called before each request, to count it. */
  onRequest: () => void;
}

interface FhirRequest {
  method?: OutboundRequest['method'];
  /** Absolute, or below the base. */
  url: string;
  headers?: Record<string, string>;
  bytesMax: number;
  timeoutMs: number;
  /**
   * Sends credentials also outside the base, for addresses that the system itself gave. They must be at its
   * origin.
   */
  withCredentials?: true;
}

const waitMaxMs = 60_000;
/** Maximum address length: the position of a sync is stored after each step. */
const addressMax = 32 * 1024;
/** Longest silence of a connection. Some systems take long for a page. */
const idleMs = 120_000;

/**
 * Client of the FHIR API of an EHR system. Sends requests to its origin only (https, or the local host), and
 * credentials only below its base (a host may have other tenants) or where the system refers to. Limits the
 * rate as configured, and retries transient failures (RFC 9110 §15: 429, 5xx; dropped connections).
 */
export class FhirServer {
  readonly #deps: FhirServerDeps;
  readonly #base: URL;
  #notBefore = 0;

  constructor(deps: FhirServerDeps) {
    this.#deps = deps;
    this.#base = new URL(`${deps.baseUrl.replace(/(?<!\/)\/+$/, '')}/`);
  }

  /** SMART scope that the system granted; undefined if not stated. */
  get scope(): string | undefined {
    return this.#deps.authorization.scope;
  }

  /** Sends a request until a response has one of `statuses` and `read` succeeds. Throws `EhrError`. */
  async ask<T>(
    request: FhirRequest,
    statuses: readonly number[],
    read: (answer: OutboundAnswer) => Promise<T>,
  ): Promise<T> {
    const url = this.locate(request.url);
    const { retry, wait, signal } = this.#deps;
    const withKey = request.withCredentials === true || this.#isBelowBase(url);
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(url, request, withKey, statuses, read);
      } catch (error) {
        signal.throwIfAborted();
        const failure = ehrError(error);
        if (failure.status === 401 && !renewed && this.#deps.authorization.renew()) {
          renewed = true;
          continue;
        }
        if (!failure.isPassing || attempt >= retry.attemptsMax) throw failure;
        await wait(waitOf(failure, attempt, retry), signal);
      }
    }
  }

  /** Delays the next request to honour `delayMs` per record. */
  throttle(records: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + records * this.#deps.delayMs);
  }

  /** Resolves an address of the system. Throws `EhrError` if it is at another host or too long. */
  locate(address: string): string {
    if (address.length > addressMax)
      throw new EhrError('UNUSABLE', 'The EHR system refers to an address that is too long to be one.');
    const url = URL.canParse(address, this.#base) ? new URL(address, this.#base) : undefined;
    if (!url || url.origin !== this.#base.origin || url.username !== '' || url.password !== '') {
      const message = 'The EHR system refers to an address at another host, which is never requested.';
      throw new EhrError('ELSEWHERE', message);
    }
    return url.href;
  }

  /**
   * Accepts the base without its trailing slash (`/fhir?_getpages=…`). Paths that a server may decode
   * differently are not below it.
   */
  #isBelowBase(url: string): boolean {
    const [path, base] = [new URL(url), this.#base].map(({ pathname }) => sameForServers(pathname)) as [
      string,
      string,
    ];
    const isBelow = `${path}/` === base || path.startsWith(base);
    return isBelow && !/%(?:2f|5c)/.test(path.slice(base.length));
  }

  async #once<T>(
    url: string,
    { method = 'GET', headers, bytesMax, timeoutMs }: FhirRequest,
    withCredentials: boolean,
    statuses: readonly number[],
    read: (answer: OutboundAnswer) => Promise<T>,
  ): Promise<T> {
    const { outbound, authorization, signal, wait, onRequest } = this.#deps;
    const early = this.#notBefore - performance.now();
    if (early > 0) await wait(early, signal);
    const authorized = withCredentials ? await authorization.header() : undefined;
    onRequest();
    const request: OutboundRequest = {
      method,
      url,
      headers: {
        accept: 'application/fhir+json',
        ...headers,
        ...(authorized !== undefined && { authorization: authorized }),
      },
      bytesMax,
      timeoutMs,
      idleMs: Math.min(idleMs, timeoutMs),
      signal,
    };
    try {
      return await outbound.exchange(request, (answer) => {
        if (!statuses.includes(answer.status)) throw withCredentials ? refused(answer) : closed(answer);
        return read(answer);
      });
    } finally {
      this.throttle(1);
    }
  }
}

function ehrError(error: unknown): EhrError {
  if (error instanceof EhrError) return error;
  if (!(error instanceof OutboundError)) throw error;
  const { message: why, isPassing } = error;
  const message = `The EHR system cannot be used: ${why}.`;
  return new EhrError(isPassing ? 'UNREACHABLE' : 'UNUSABLE', message, { cause: error, isPassing });
}

/** Explains a refusal of a request without credentials. */
function closed(answer: OutboundAnswer): EhrError {
  if (answer.status !== 401 && answer.status !== 403) return refused(answer);
  const message =
    'The EHR system refers to an address that is not below apiBaseUrl. No key is sent there, and it refuses requests without one.';
  return new EhrError('ELSEWHERE', message);
}

function refused({ status, headers }: OutboundAnswer): EhrError {
  if (status === 401) {
    const message = 'The EHR system does not accept the key or secret. Check them and apiAuthType.';
    return new EhrError('UNAUTHORIZED', message, { status });
  }
  if (status >= 300 && status < 400) {
    const message = 'The EHR system redirects to another address: enter that one as apiBaseUrl.';
    return new EhrError('REDIRECTED', message);
  }
  const isPassing = status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
  const message = isPassing
    ? `The EHR system failed repeatedly (status ${status}).`
    : `The EHR system refused a request (status ${status}).`;
  const waitMs = retryAfterMs(headers['retry-after']);
  return new EhrError(isPassing ? 'OVERLOADED' : 'REFUSED', message, { status, isPassing, waitMs });
}

function waitOf({ waitMs }: EhrError, attempt: number, retry: RetryPolicy): number {
  if (waitMs !== undefined) return Math.min(waitMs, retry.waitAskedMaxMs);
  // Up to a quarter more, so that clients rejected together do not return together.
  return Math.min(retry.waitMs * 2 ** (attempt - 1), waitMaxMs) * (1 + Math.random() / 4);
}

/** Normalises paths: servers vary letter case and double slashes. */
const sameForServers = (path: string): string => path.toLowerCase().replace(/\/{2,}/g, '/');
