import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { withoutPath } from '../../base/public-path.ts';
import { answerUnknownExpectation } from './broken-requests.ts';
import { createSecureServer, type TlsFiles } from './tls.ts';
import { acceptUpdateMethod } from './update-method.ts';

/** Pipelined requests of one connection, the running one included; a client beyond that reads no responses. */
const pipelinedMax = 16;
/** Interval in which a server that closes looks for connections that have become idle. */
const idleCheckMs = 50;

/** Time from a connection to the end of the headers: silent ones must not hold places of others for a minute. */
const headersMs = 15_000;

interface ServerSettings {
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** Path of the service on its host, which is taken off each target. */
  path: string;
}

/** A server of `node:http`, and how to empty it before it closes. */
export interface HttpServer {
  server: Server;
  /**
   * Waits until the responses in flight are flushed; afterwards idle connections are closed. From `cutAfterMs` on, closes every
   * connection, also new ones.
   */
  drain(cutAfterMs: number): Promise<void>;
}

/** Creates the HTTP/1.1 server in front of the framework. */
export function createHttpServer(
  handler: RequestListener,
  { requestTimeoutMs, keepAliveTimeoutMs, path }: ServerSettings,
  tls?: TlsFiles,
): HttpServer {
  const inFlight = new Map<Socket, ServerResponse[]>();
  const serially = (listener: RequestListener): RequestListener => serializePipelined(listener, inFlight);
  // Node answers a request without a Host header with an empty body: `hasRightHost` checks it instead.
  const options = { requireHostHeader: false, connectionsCheckingInterval: headersMs / 3 };
  const server: Server = tls ? createSecureServer(tls, options) : createServer(options);
  server.headersTimeout = Math.min(headersMs, requestTimeoutMs);
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    inFlight.set(socket, []);
    socket.once('close', () => inFlight.delete(socket));
  });
  acceptUpdateMethod(server);
  server.on(
    'request',
    serially((request, response) => {
      request.url = withoutPath(pathOfTarget(request.url ?? ''), path);
      handler(request, response);
    }),
  );
  server.on('checkExpectation', serially(answerUnknownExpectation));
  return { server, drain: (cutAfterMs) => drain(server, inFlight, cutAfterMs) };
}

/**
 * Handles pipelined requests of a connection one at a time (RFC 9112, §9.3.2): a request starts after the previous response
 * was flushed. Node would start all at once, and a few connections that read nothing would fill the memory with responses.
 */
function serializePipelined(
  handler: RequestListener,
  inFlight: ReadonlyMap<Socket, ServerResponse[]>,
): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const responses = inFlight.get(socket) ?? [];
    const previous = responses.at(-1);
    if (responses.push(response) > pipelinedMax) {
      socket.destroy();
      return;
    }
    response.once('close', () => responses.shift());
    if (previous === undefined) handler(request, response);
    else previous.once('close', () => socket.writable && handler(request, response));
  };
}

/** Returns the path of a request target, which may be a whole URL (RFC 9112, §3.2.2). */
function pathOfTarget(target: string): string {
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (authority === undefined) return target;
  const path = target.slice(authority.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Waits for responses in flight. Node counts a connection as idle once its response has ended, though a slow client may not have
 * read it: closing idle connections earlier would truncate it.
 */
async function drain(
  server: Server,
  inFlight: ReadonlyMap<Socket, ServerResponse[]>,
  cutAfterMs: number,
): Promise<void> {
  const cutAt = performance.now() + cutAfterMs;
  let drained = false;
  const timer = setInterval(() => {
    if (performance.now() >= cutAt) server.closeAllConnections();
    else if (drained) server.closeIdleConnections();
  }, idleCheckMs);
  server.once('close', () => clearInterval(timer));
  const flushed = [...inFlight].map(
    ([socket, responses]) =>
      new Promise<void>((resolve) => {
        const last = responses.at(-1);
        if (last === undefined) return resolve();
        last.once('close', resolve);
        socket.once('close', resolve);
      }),
  );
  await Promise.all(flushed);
  drained = true;
  if (!server.listening) clearInterval(timer);
}
