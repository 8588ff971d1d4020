import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { isLoopback, isPublic } from './addresses.ts';
import { type Outbound, OutboundError } from './outbound.ts';

export interface OutboundSettings {
  /** Whether addresses of private networks, and of this computer, may be reached. */
  allowPrivateHosts: boolean;
  /** Resolves names; the system's way unless a test says otherwise. */
  resolve?: (hostname: string) => Promise<LookupAddress[]>;
}

/**
 * Requests that cannot be turned against the network that the service stands in (server-side request forgery): only https, no
 * redirects, and every address of a name is checked and then used itself, so that a name that changes in between gains nothing.
 */
export function openOutbound(settings: OutboundSettings): Outbound {
  return {
    get: async (url, limits) => {
      const target = await checkedTarget(url, settings);
      const signal = AbortSignal.timeout(limits.timeoutMs);
      try {
        return await read(await send(target, signal), limits.bytesMax);
      } catch (error) {
        if (error instanceof OutboundError) throw error;
        const message = signal.aborted ? 'it did not answer in time' : 'it could not be reached';
        throw new OutboundError(message, { cause: error });
      }
    },
  };
}

interface Target {
  url: URL;
  /** Checked; nothing else is connected to. */
  addresses: LookupAddress[];
}

async function checkedTarget(text: string, settings: OutboundSettings): Promise<Target> {
  if (!URL.canParse(text)) throw new OutboundError('it is no absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError('its address does not begin with https://');
  if (url.username !== '' || url.password !== '') throw new OutboundError('its address holds a password');
  const addresses = await addressesOf(url, settings);
  if (!settings.allowPrivateHosts && !addresses.every(({ address }) => isPublic(address)))
    throw new OutboundError(
      'its address is one of a private network, which needs PLOIDY_ALLOW_PRIVATE_HOSTS=true',
    );
  if (url.protocol === 'http:' && !addresses.every(({ address }) => isLoopback(address)))
    throw new OutboundError('its address does not begin with https://');
  return { url, addresses };
}

async function addressesOf(url: URL, { resolve = resolveName }: OutboundSettings): Promise<LookupAddress[]> {
  // An IPv6 address stands in brackets; `URL` has brought odd spellings (0x7f.1) into the usual one.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  if (version !== 0) return [{ address: host, family: version }];
  const found = await resolve(host).catch((cause: unknown) => {
    throw new OutboundError('its name is not known', { cause });
  });
  if (found.length === 0) throw new OutboundError('its name is not known');
  return found;
}

function resolveName(hostname: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    lookup(hostname, { all: true }, (error, found) => (error ? fail(error) : done(found)));
  });
}

function send({ url, addresses }: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    signal,
    agent: false,
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Ploidy' },
    lookup: (_hostname, { all }, callback) => {
      const [first] = addresses;
      if (all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    },
  };
  return new Promise((done, fail) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    start(url, options, done).on('error', fail).end();
  });
}

async function read(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    const status = answer.statusCode ?? 0;
    // Wherever it leads was not checked, and need not be: whoever entered the address can enter the right one.
    if (status >= 300 && status < 400)
      throw new OutboundError('it redirects to another address, which must be entered itself');
    if (status !== 200) throw new OutboundError(`it answered with status ${status}`);
    if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new OutboundError('it answered compressed, though asked not to');
    return await collect(answer, bytesMax);
  } finally {
    answer.destroy();
  }
}

async function collect(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw new OutboundError(`it is larger than ${bytesMax >> 10} KiB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
