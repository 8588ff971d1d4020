import {
  type Outbound,
  type OutboundAnswer,
  OutboundError,
  type OutboundRequest,
} from '../../platform/outbound/outbound.ts';
import type { Authorization } from './authorization.ts';
import { EhrError } from './ehr-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** How often a request is sent in all before a sync gives up, and how long it waits in between. */
export interface Patience {
  attemptsMax: number;
  /** After the first failure; doubled with each further one, up to a minute. */
  waitMs: number;
  /** Longest wait that the system may ask for. */
  waitAskedMaxMs: number;
}

export interface FhirServerParts {
  outbound: Outbound;
  /** Where everything is below: `https://host/fhir`. */
  baseUrl: string;
  authorization: Authorization;
  patience: Patience;
  /** Milliseconds between two records, on average. */
  delayMs: number;
  signal: AbortSignal;
  /** Resolves after so long; rejects when the signal says stop. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called before each request, to count. */
  onRequest: () => void;
}

export interface FhirRequest {
  method?: OutboundRequest['method'];
  /** Absolute, or below the base. */
  url: string;
  headers?: Record<string, string>;
  bytesMax: number;
  timeoutMs: number;
  /**
   * Credentials go there also when it is not below the base. For addresses that the system itself gave, which knows the credentials
   * already; that they are at its origin is looked at in any case.
   */
  withCredentials?: true;
}

const waitMaxMs = 60_000;
/** Where a sync goes on is kept with each of its steps. */
const addressMax = 32 * 1024;
/** How long a connection may be silent. Some systems look long for a page. */
const idleMs = 120_000;

/**
 * The FHIR API of an EHR system: requests to its origin only (https, or this computer itself), with credentials below its base (a
 * host may have other tenants) and where it sends us with them itself, no faster than its administrator allows, and patient with what
 * passes (RFC 9110 §15: 429, 5xx; dropped connections).
 */
export class FhirServer {
  readonly #parts: FhirServerParts;
  readonly #base: URL;
  #notBefore = 0;

  constructor(parts: FhirServerParts) {
    this.#parts = parts;
    this.#base = new URL(parts.baseUrl.replace(/\/*$/, '/'));
  }

  /** What the system lets us do, in words of SMART; undefined: it does not say. */
  get scope(): string | undefined {
    return this.#parts.authorization.scope;
  }

  /** Sends a request until it is answered with one of the `statuses` and `read` has read the answer. Throws `EhrError`. */
  async ask<T>(
    request: FhirRequest,
    statuses: readonly number[],
    read: (answer: OutboundAnswer) => Promise<T>,
  ): Promise<T> {
    const url = this.locate(request.url);
    const { patience, wait, signal } = this.#parts;
    const withKey = request.withCredentials === true || this.#isBelowBase(url);
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(url, request, withKey, statuses, read);
      } catch (error) {
        signal.throwIfAborted();
        const failure = ehrError(error);
        if (failure.status === 401 && !renewed && this.#parts.authorization.renew()) {
          renewed = true;
          continue;
        }
        if (!failure.isPassing || attempt >= patience.attemptsMax) throw failure;
        await wait(waitOf(failure, attempt, patience), signal);
      }
    }
  }

  /** Tells that so many records have come: the next request waits as long as they are to be apart. */
  took(records: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + records * this.#parts.delayMs);
  }

  /** The absolute address of something of the system. Throws `EhrError` for one at another host, or none that servers take. */
  locate(address: string): string {
    if (address.length > addressMax)
      throw new EhrError('UNUSABLE', 'The EHR system refers to an address that is too long to be one.');
    const url = URL.canParse(address, this.#base) ? new URL(address, this.#base) : undefined;
    if (!url || url.origin !== this.#base.origin || url.username !== '' || url.password !== '') {
      const message = 'The EHR system refers to an address at another host, where nothing is fetched from.';
      throw new EhrError('ELSEWHERE', message);
    }
    return url.href;
  }

  /** Also without the slash at its end (`/fhir?_getpages=…`). What a server may decode to another path is not below. */
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
    const { outbound, authorization, signal, wait, onRequest } = this.#parts;
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
      this.took(1);
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

/** Where no credentials were sent. */
function closed(answer: OutboundAnswer): EhrError {
  if (answer.status !== 401 && answer.status !== 403) return refused(answer);
  const message =
    'The EHR system refers to an address that is not below apiBaseUrl. No key is sent there, and without one it gives nothing.';
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
    ? `The EHR system could not answer (status ${status}), again and again.`
    : `The EHR system refused a request (status ${status}).`;
  const waitMs = retryAfterMs(headers['retry-after']);
  return new EhrError(isPassing ? 'OVERLOADED' : 'REFUSED', message, { status, isPassing, waitMs });
}

function waitOf({ waitMs }: EhrError, attempt: number, patience: Patience): number {
  if (waitMs !== undefined) return Math.min(waitMs, patience.waitAskedMaxMs);
  // Up to a quarter more, so that several who were sent away together do not come back together.
  return Math.min(patience.waitMs * 2 ** (attempt - 1), waitMaxMs) * (1 + Math.random() / 4);
}

/** Servers write their own paths in other letters, and with doubled slashes. */
const sameForServers = (path: string): string => path.toLowerCase().replace(/\/{2,}/g, '/');
