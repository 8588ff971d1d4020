import { setImmediate as turn } from 'node:timers/promises';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { pathsOf, type Route } from '../api/route.ts';
import { newId } from '../base/ids.ts';
import { invalidInput, notFound, Problem } from '../base/problem.ts';
import { pathOf } from '../base/public-path.ts';
import { isUtf8Encoded } from '../base/utf8-encoded.ts';
import { clientAddress } from './access/client-address.ts';
import { allowedOrigins, enableCors } from './access/cross-origin.ts';
import type { Gate } from './access/gate.ts';
import type { Idempotency } from './access/idempotency.ts';
import type { Visitors } from './access/visitors.ts';
import { acceptBodies } from './connection/bodies.ts';
import {
  answerBrokenAddress,
  answerBrokenRequest,
  hasRightHost,
  wrongHost,
} from './connection/broken-requests.ts';
import { limitConnections, sharedAddresses } from './connection/connection-limit.ts';
import { createHttpServer, type HttpServer } from './connection/http-server.ts';
import type { LoadShedding } from './connection/load-shedding.ts';
import { closeSlowBodies } from './connection/slow-bodies.ts';
import { updateMethod } from './connection/update-method.ts';
import type { Waits } from './connection/waits.ts';
import { addConsole, type ConsoleSettings } from './console.ts';
import { addDocumentation, type DocumentationPages, servePages } from './contract/documentation.ts';
import { sendProblem, toProblem } from './contract/problems.ts';
import { compileValidator, serializerCompiler } from './contract/validation.ts';
import { innerRequest } from './inner-requests.ts';
import type { Metrics } from './metrics.ts';
import { addPublicPath } from './public-references.ts';
import { registerRoutes } from './register.ts';
import { RunningHandlers } from './running-handlers.ts';
import { securityHeaders } from './security-headers.ts';

/** Longer than the idle time of common proxies (60 s), which then close unused connections first. */
const keepAliveTimeoutMs = 65_000;

/** Settings of the server. */
interface HttpSettings {
  publicUrl: string;
  bodyMaxBytes: number;
  requestTimeoutMs: number;
  trustedProxies: string[];
  allowedOrigins: string[];
  documentation: boolean;
  console: boolean;
  connectionsMax: number;
  /** Files of the certificate and its key; '': http. */
  tlsCertificate: string;
  tlsKey: string;
  /** Time for requests in flight after a stop begins; then their connections are cut. */
  shutdownMs: number;
  /** Further time for the handlers of those requests. */
  handlersMaxMs: number;
}

interface HttpDeps {
  config: HttpSettings;
  console: ConsoleSettings;
  log: Logger;
  routes: Route[];
  /** Pages beside the API document. */
  pages: DocumentationPages;
  gate: Gate;
  visitors: Visitors;
  idempotency: Idempotency;
  metrics: Metrics;
  shedding: LoadShedding;
  waits: Waits;
}

/** Builds the server with all its routes; it does not listen yet. */
export async function buildServer(deps: HttpDeps): Promise<FastifyInstance> {
  const { config, log, routes, pages, gate, idempotency, metrics, shedding, visitors, waits } = deps;
  const path = pathOf(config.publicUrl);
  const servers: HttpServer[] = [];
  const app: FastifyInstance = fastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit: config.bodyMaxBytes,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    forceCloseConnections: 'idle',
    // A proxy sends requests until it has seen that this process stops.
    return503OnClosing: false,
    // Its limit of 10 s for each hook would end a stop that waits for requests, by an unhandled error.
    pluginTimeout: 0,
    routerOptions: { maxParamLength: 2048 },
    exposeHeadRoutes: true,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerBrokenAddress,
    // Called again for each further address of a host name.
    serverFactory: (handler) => {
      const settings = { requestTimeoutMs: config.requestTimeoutMs, keepAliveTimeoutMs, path };
      const tls = config.tlsCertificate === '' ? undefined : { ...config, log };
      const created = createHttpServer(handler, settings, tls);
      servers.push(created);
      return created.server;
    },
  }) as unknown as FastifyInstance;
  app.addHttpMethod(updateMethod, { hasBody: true });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler(path));
  addPublicPath(app, path);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('visitor');
  app.decorateRequest('trial', undefined);
  app.decorateRequest('account', '');
  app.decorateRequest('isAccountAlias', false);
  app.decorateRequest('located', undefined);
  app.decorateRequest('sentHeaders', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    request.visitor = innerRequest()?.visitor ?? visitors.of(request);
    shedding.arrive(request.visitor);
    reply.headers(securityHeaders).header('x-request-id', request.id);
    if (hasRightHost(request.raw)) done();
    else sendProblem(wrongHost, request, reply.header('connection', 'close'));
  });
  const known = knownAddresses(routes);
  const methodsAt = (url: string): string[] => known(url).methods;
  const isAllowedOrigin = allowedOrigins(config.allowedOrigins);
  if (config.allowedOrigins.length > 0) enableCors(app, isAllowedOrigin, methodsAt);
  closeSlowBodies(app);
  acceptBodies(app);
  app.addHook('preValidation', refuseInvalidEncodings);
  recordAnswers(app, metrics);
  app.setErrorHandler((error, request, reply) =>
    sendProblem(
      unlessOnTrial(toProblem(error, request.routeOptions.config.formBody), request),
      request,
      reply,
    ),
  );
  answerUnknownAddresses(app, known);
  await addDocumentation(app, Object.keys(pages), path);
  if (config.documentation) await servePages(app, pages, path);
  const withConsole = config.console && addConsole(app, deps.console, log);
  // The address that a start prints leads to a page.
  if (!withConsole && config.documentation)
    app.get('/', { schema: { hide: true } }, (_, reply) => reply.redirect('/docs'));
  const handlers = new RunningHandlers();
  registerRoutes(app, routes, { gate, idempotency, shedding, waits, handlers });
  app.addHook('preClose', async () => {
    await Promise.all(servers.map((one) => one.drain(config.shutdownMs)));
    // A handler whose connection was cut still writes into the records.
    await handlers.ended(config.handlersMaxMs);
    // Connections that wait to be accepted are accepted first: the end of the listening socket would reset them.
    await turn();
  });
  const isShared = sharedAddresses(config.trustedProxies);
  limitConnections(app.server, config.connectionsMax, { log, registry: metrics.registry, isShared });
  return app;
}

/** Returns the problem of a request, or why a failing one of its network is answered otherwise. */
function unlessOnTrial(problem: Problem, { trial }: FastifyRequest): Problem {
  return trial && problem.status >= 400 && problem.status < 500 ? trial : problem;
}

/** Returns the id of a request: the one that its sender gave, if it is valid, else a new one. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newId();
}

/** Returns a logger without child loggers: one per request costs more than the lines, which name the request themselves. */
function withoutChildren(log: Logger): Logger {
  const own: Logger = Object.create(log, { child: { value: () => own } });
  return own;
}

/** Refuses known query parameters that are not UTF-8 (`%ff`), which the parser passes on as written. */
async function refuseInvalidEncodings({ url, routeOptions }: FastifyRequest): Promise<void> {
  const start = url.indexOf('?') + 1;
  if (start === 0 || isUtf8Encoded(url.slice(start))) return;
  const known = Object(routeOptions.schema?.querystring).properties ?? {};
  for (const pair of url.slice(start).split('&')) {
    const [name = ''] = new URLSearchParams(pair).keys();
    if (Object.hasOwn(known, name) && !isUtf8Encoded(pair))
      throw invalidInput([{ path: `query/${name}`, message: 'is not UTF-8' }]);
  }
}

/** Answers 405 with `Allow` for a known address and 404 for others, before the body is read. */
function answerUnknownAddresses(app: FastifyInstance, known: (url: string) => KnownAddress): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { methods, problemPage } = known(request.url);
    if (methods.length === 0) return sendProblem(notFound(), request, reply, problemPage);
    reply.header('allow', methods.join(', '));
    const message = `This address accepts ${methods.join(', ')}.`;
    return sendProblem(new Problem(405, 'METHOD_NOT_ALLOWED', message), request, reply, problemPage);
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(request, reply);
    // A route with error pages of its own answers in JSON as well: no route has this address.
    else if (hasEmptyPart(request.params as object)) reply.callNotFound();
    else done();
  });
  app.setNotFoundHandler(answer);
}

/** Reports whether a parameter is empty: the router matches `/v1/projects/` with `/v1/projects/:id`. A wildcard may be empty. */
function hasEmptyPart(params: object): boolean {
  for (const name in params) if (name !== '*' && Reflect.get(params, name) === '') return true;
  return false;
}

/** Counts and logs responses by route pattern: the address itself may hold names or signatures. */
function recordAnswers(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url;
    const { statusCode: status, elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime * 100) / 100;
    const { caller } = request;
    const { userId, via } = caller ?? {};
    // The header may hold any text.
    const account = caller?.isMember(request.account) ? request.account : undefined;
    const about = { userId, via, account, address: clientAddress(request) };
    const requestId = request.id;
    metrics.answered(method, route, status, elapsedTime);
    request.log.info({ requestId, method, route, status, durationMs, ...about }, 'answered');
    done();
  });
}

/** Methods of an address, and the error format of the area that it is in. */
interface KnownAddress {
  methods: string[];
  problemPage: Route['problemPage'];
}

/** Returns a function that describes an address by the patterns of all routes. */
function knownAddresses(routes: Route[]): (url: string) => KnownAddress {
  const patterns = routes.flatMap((route) =>
    pathsOf(route).map((path) => ({
      method: route.method,
      pattern: new RegExp(`^${pathPattern(path)}$`),
    })),
  );
  const areas = routes.flatMap(({ problemsBelow, problemPage }) =>
    problemsBelow === undefined
      ? []
      : [{ problemPage, below: new RegExp(`^${pathPattern(problemsBelow)}(?:/|$)`) }],
  );
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const methods = new Set<string>();
    for (const { method, pattern } of patterns) {
      if (!pattern.test(path)) continue;
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    const { problemPage } = areas.find(({ below }) => below.test(path)) ?? {};
    return { methods: [...methods].sort(), problemPage };
  };
}

/** Returns the source of a regular expression for the path of a route, as `/v1/projects/:id`. */
function pathPattern(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
}
