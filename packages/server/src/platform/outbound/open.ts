import { type LookupAddress, lookup } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { unlessAborted } from '../concurrency/unless-aborted.ts';
import { isInside, isLoopback, isPublic } from './addresses.ts';
import { type Outbound, type OutboundAnswer, OutboundError, type OutboundRequest } from './outbound.ts';

interface OutboundSettings {
  /** Allows addresses of private networks and of this computer. */
  allowPrivateHosts: boolean;
  /** Resolves names; with the system's resolver unless a test replaces it. */
  resolve?: (hostname: string) => Promise<LookupAddress[]>;
}

/**
 * Requests that cannot be turned against the network of the service (server-side request forgery): only https, and no
 * redirects. Every address of a name is checked and then used itself: a name that changes in between gains nothing.
 */
export function openOutbound(settings: OutboundSettings): Outbound {
  const exchange: Outbound['exchange'] = async (request, read) => {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const target = await checkedTarget(request.url, settings, signal);
    let answer: IncomingMessage | undefined;
    try {
      answer = await send(target, request, signal);
      requireUncompressed(answer);
      return await read({
        status: answer.statusCode ?? 0,
        headers: headersOf(answer),
        body: bounded(answer, request.bytesMax, signal),
      });
    } catch (error) {
      throw isOfConnection(error) ? failed(error, signal) : error;
    } finally {
      answer?.destroy();
    }
  };
  return {
    faultIn: (url) =>
      !settings.allowPrivateHosts && isInside(hostOf(new URL(url)))
        ? `must be no address of a private network, ${needed}`
        : undefined,
    exchange,
    get: (url, { bytesMax, timeoutMs }) =>
      exchange({ method: 'GET', url, timeoutMs, idleMs: timeoutMs, bytesMax }, async ({ status, body }) => {
        // Redirects are refused: their target is unchecked, and the user can enter the final address.
        if (status >= 300 && status < 400)
          throw new OutboundError('it redirects to another address, which must be entered itself');
        if (status !== 200) throw new OutboundError(`it answered with status ${status}`);
        return collect(body);
      }),
  };
}

/**
 * Returns connections for a client library, to addresses that users have entered. A name is resolved for each connection, and
 * all of its addresses must be public unless private ones are allowed; literal addresses are checked by `faultIn`.
 */
export function outboundAgents({ allowPrivateHosts }: { allowPrivateHosts: boolean }): {
  http: http.Agent;
  https: https.Agent;
} {
  const guarded: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const isInside = !allowPrivateHosts && !found?.every(({ address }) => isPublic(address));
      const [first] = found ?? [];
      if (error || !first) done(error ?? new OutboundError('its name is not known'), '', 0);
      else if (isInside) done(new OutboundError('its address is one of a private network'), '', 0);
      else if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
  const options = { keepAlive: true, lookup: guarded };
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

const needed = 'which needs PLOIDY_ALLOW_PRIVATE_HOSTS=true';

interface Target {
  url: URL;
  /** Checked; nothing else is connected to. */
  addresses: LookupAddress[];
}

async function checkedTarget(text: string, settings: OutboundSettings, signal: AbortSignal): Promise<Target> {
  if (!URL.canParse(text)) throw new OutboundError('it is no absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError('its address does not begin with https://');
  if (url.username !== '' || url.password !== '') throw new OutboundError('its address holds a password');
  const addresses = await addressesOf(url, settings, signal);
  if (!settings.allowPrivateHosts && !addresses.every(({ address }) => isPublic(address)))
    throw new OutboundError(`its address is one of a private network, ${needed}`);
  if (url.protocol === 'http:' && !addresses.every(({ address }) => isLoopback(address)))
    throw new OutboundError('its address does not begin with https://');
  return { url, addresses };
}

async function addressesOf(
  url: URL,
  { resolve = resolveName }: OutboundSettings,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const host = hostOf(url);
  const version = isIP(host);
  if (version !== 0) return [{ address: host, family: version }];
  const found = await unlessAborted(resolve(host), signal).catch((cause: unknown) => {
    throw new OutboundError(signal.aborted ? tooLate : 'its name is not known', { cause, ...passing });
  });
  if (found.length === 0) throw new OutboundError('its name is not known');
  return found;
}

/** Brackets around an IPv6 address; `URL` has converted odd spellings (0x7f.1) into the usual one. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function resolveName(hostname: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    lookup(hostname, { all: true }, (error, found) => (error ? fail(error) : done(found)));
  });
}

function send(
  { url, addresses }: Target,
  { method, headers, body, idleMs }: OutboundRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    signal,
    method,
    agent: false,
    timeout: idleMs,
    headers: {
      accept: '*/*',
      'user-agent': 'Ploidy',
      ...headers,
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    lookup: (_hostname, { all }, callback) => {
      const [first] = addresses;
      if (all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    },
  };
  return new Promise((done, fail) => {
    const start = url.protocol === 'https:' ? https.request : http.request;
    const sent = start(url, options, done).on('error', (cause) => fail(new ConnectionError(cause)));
    sent.on('timeout', () => sent.destroy(new OutboundError(tooLate, passing)));
    sent.end(body);
  });
}

const passing = { isPassing: true };
const tooLate = 'it did not answer in time';

/** Error that ended a connection, found in the one that the reader of an answer throws. */
class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('the connection failed', { cause });
  }
}

const isOfConnection = (error: unknown): error is ConnectionError => error instanceof ConnectionError;

function failed({ cause }: ConnectionError, signal: AbortSignal): OutboundError {
  if (cause instanceof OutboundError) return cause;
  const message = signal.aborted ? tooLate : 'it could not be reached';
  return new OutboundError(message, { cause, ...passing });
}

function requireUncompressed(answer: IncomingMessage): void {
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new OutboundError('it answered compressed, though asked not to');
}

function headersOf({ headers }: IncomingMessage): OutboundAnswer['headers'] {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

async function* bounded(
  answer: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > bytesMax) throw new OutboundError(`it is larger than ${Math.floor(bytesMax / 1024)} KiB`);
      yield part;
    }
  } catch (error) {
    throw error instanceof OutboundError ? error : failed(new ConnectionError(error), signal);
  }
}

async function collect(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
