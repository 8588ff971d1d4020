import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { invalidInput, notFound, Problem } from '../problem.ts';
import { pathsOf, type Route } from '../route.ts';
import { isUtf8Encoded } from '../utf8-encoded.ts';
import { acceptAbsoluteTargets } from './absolute-targets.ts';
import { acceptBodies } from './bodies.ts';
import {
  answerBrokenAddress,
  answerBrokenRequest,
  answerUnknownExpectations,
  hasRightHost,
  wrongHost,
} from './broken-requests.ts';
import { limitConnections } from './connections.ts';
import { letOriginsIn, originsLetIn } from './cross-origin.ts';
import { addDocumentation } from './documentation.ts';
import type { Gate } from './gate.ts';
import type { Idempotency } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import { beginOneByOne } from './one-by-one.ts';
import type { Overload } from './overload.ts';
import { pathPattern } from './path-pattern.ts';
import { sendProblem, toProblem } from './problems.ts';
import { registerRoutes } from './register.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';
import { compileSerializer } from './serialization.ts';
import { closeSlowBodies } from './slow-bodies.ts';
import { turnAwayFirst } from './turn-away.ts';
import { spareUnsentAnswers } from './unsent-answers.ts';
import { acceptUpdateMethod, updateMethod } from './update-method.ts';
import { compileValidator } from './validation.ts';
import { WrittenTogether } from './written-together.ts';

export interface HttpParts {
  config: Config;
  log: Logger;
  routes: Route[];
  gate: Gate;
  idempotency: Idempotency;
  metrics: Metrics;
  overload: Overload;
}

/** Builds the server with all its routes; it does not listen yet. */
export async function buildServer(parts: HttpParts): Promise<FastifyInstance> {
  const { config, log, routes, gate, idempotency, metrics, overload } = parts;
  const app: FastifyInstance = fastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit: config.bodyMaxBytes,
    requestTimeout: config.requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 2048 },
    exposeHeadRoutes: true,
    clientErrorHandler: answerBrokenRequest,
    // Node's answer to a request without one has no body: `hasRightHost` looks for it.
    http: { requireHostHeader: false, ServerResponse: WrittenTogether },
    frameworkErrors: answerBrokenAddress,
  }) as unknown as FastifyInstance;
  acceptUpdateMethod(app.server);
  answerUnknownExpectations(app.server);
  app.addHttpMethod(updateMethod, { hasBody: true });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('account', '');
  app.decorateRequest('located', undefined);
  app.decorateRequest('sentHeaders', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    if (hasRightHost(request.raw)) done();
    else sendProblem(wrongHost, request, reply.header('connection', 'close'));
  });
  const methodsAt = allowedMethods(routes);
  const isLetIn = originsLetIn(config.allowedOrigins);
  if (config.allowedOrigins.length > 0) letOriginsIn(app, isLetIn, methodsAt);
  closeSlowBodies(app);
  acceptBodies(app);
  app.addHook('preValidation', refuseForeignQueries);
  tellAnswers(app, metrics);
  app.setErrorHandler((error, request, reply) =>
    sendProblem(toProblem(error, request.routeOptions.config.formBody), request, reply),
  );
  answerUnknownAddresses(app, methodsAt);
  await addDocumentation(app, config.documentation);
  registerRoutes(app, routes, { gate, idempotency, overload });
  turnAwayFirst(app.server, { routes, overload, metrics, isLetIn });
  acceptAbsoluteTargets(app.server);
  beginOneByOne(app.server);
  spareUnsentAnswers(app.server);
  limitConnections(app.server, config.connectionsMax, { log, registry: metrics.registry });
  return app;
}

/** A logger for each request would cost more than the lines that are logged: those name the request themselves. */
function withoutChildren(log: Logger): Logger {
  const own: Logger = Object.create(log, { child: { value: () => own } });
  return own;
}

/** The parser of queries hands on as letters what it cannot read (`%ff`). Unknown parameters are ignored with whatever they hold. */
async function refuseForeignQueries({ url, routeOptions }: FastifyRequest): Promise<void> {
  const start = url.indexOf('?') + 1;
  if (start === 0 || isUtf8Encoded(url.slice(start))) return;
  const known = Object(routeOptions.schema?.querystring).properties ?? {};
  for (const pair of url.slice(start).split('&')) {
    const [name = ''] = new URLSearchParams(pair).keys();
    if (Object.hasOwn(known, name) && !isUtf8Encoded(pair))
      throw invalidInput([{ path: `query/${name}`, message: 'is not UTF-8' }]);
  }
}

/** 405 with `Allow` for a known address, 404 for others, before a body is looked at. */
function answerUnknownAddresses(app: FastifyInstance, allowed: (url: string) => string[]): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = allowed(request.url);
    if (methods.length === 0) return sendProblem(notFound(), request, reply);
    reply.header('allow', methods.join(', '));
    const message = `This address takes ${methods.join(', ')}.`;
    return sendProblem(new Problem(405, 'METHOD_NOT_ALLOWED', message), request, reply);
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(request, reply);
    // Also where the route has error pages of its own: no route has this address.
    else if (hasEmptyPart(request.params as object)) reply.callNotFound();
    else done();
  });
  app.setNotFoundHandler(answer);
}

/** The router finds `/v1/projects/:id` for `/v1/projects/`. What it takes to the end of an address (`*`) may be empty. */
function hasEmptyPart(params: object): boolean {
  for (const name in params) if (name !== '*' && Reflect.get(params, name) === '') return true;
  return false;
}

/** Counts answers, and one line for each: route pattern, never the address itself, which may hold names or signatures. */
function tellAnswers(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url;
    const { statusCode: status, elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime * 100) / 100;
    const userId = request.caller?.userId;
    const requestId = request.id;
    metrics.answered(method, route, status, elapsedTime);
    request.log.info({ requestId, method, route, status, durationMs, userId }, 'answered');
    done();
  });
}

/** Which methods the address takes, for 405; found by comparing with the patterns of all routes. */
function allowedMethods(routes: Route[]): (url: string) => string[] {
  const patterns = routes.flatMap((route) =>
    pathsOf(route).map((path) => ({
      method: route.method,
      pattern: new RegExp(`^${pathPattern(path)}$`),
    })),
  );
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const methods = new Set<string>();
    for (const { method, pattern } of patterns) {
      if (!pattern.test(path)) continue;
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    return [...methods].sort();
  };
}
