import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pathsOf, type Route } from '../route.ts';
import { headersFor, isPreflight, type LetIn } from './cross-origin.ts';
import type { Metrics } from './metrics.ts';
import type { Overload } from './overload.ts';
import { pathPattern } from './path-pattern.ts';
import type { ErrorBody } from './problems.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

interface TurnAwayParts {
  routes: Route[];
  overload: Overload;
  metrics: Metrics;
  isLetIn: LetIn;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers what is beyond a turn before the framework sees it: there a refusal costs nearly as much as what is refused, and those
 * that are never turned away wait for all of them (docs/adr/0013). What has answers of its own (pages, other origins) goes
 * on, and uploads, whose senders would see a broken connection instead of an answer.
 * To be called before the server listens.
 */
export function turnAwayFirst(server: Server, { routes, overload, metrics, isLetIn }: TurnAwayParts): void {
  const own = routes.filter(
    (one) => one.neverTurnedAway || one.problemPage || one.crossOrigin || one.streamsBody,
  );
  const paths = own.flatMap(pathsOf).map(pathPattern);
  const goesOn = new RegExp(`^(?:${paths.join('|')})(?:\\?|$)`);
  const listeners = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { origin } = request.headers;
    // A preflight costs as little as a refusal, and a page could not read that one.
    const isSpared = isLetIn(origin) && isPreflight(request);
    if (overload.begin() && !isSpared && !goesOn.test(request.url ?? '')) {
      metrics.answered(request.method ?? '', undefined, 503, 0);
      refuse(overload, request, response, isLetIn(origin) ? headersFor(origin) : {});
    } else for (const listener of listeners) listener(request, response);
  });
}

function refuse(
  overload: Overload,
  request: IncomingMessage,
  response: ServerResponse,
  sharing: Record<string, string>,
): void {
  const { status, code, message, retryAfterS } = overload.turnAway('delay');
  const body: ErrorBody = { error: message, code, requestId: requestIdOf(request.headers['x-request-id']) };
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...securityHeaders,
    ...sharing,
    'x-request-id': body.requestId,
    'retry-after': String(retryAfterS),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    // Who asks again at once waits to be taken, instead of taking turns from those that are served.
    connection: 'close',
  });
  response.end(text);
}
