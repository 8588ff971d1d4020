import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { Answer, type Route, type RouteContext, type Wait } from '../api/route.ts';
import { invalidInput, Problem } from '../base/problem.ts';
import { clientAddress } from './access/client-address.ts';
import { answerPreflights, shareWithOrigin } from './access/cross-origin.ts';
import type { Gate } from './access/gate.ts';
import type { Idempotency } from './access/idempotency.ts';
import { updateMethod } from './connection/update-method.ts';
import { atWork, type Hold, type WorkDeps } from './connection/work.ts';
import { clientGone } from './contract/problems.ts';
import { documentedOf, isRepeatable, schemaOf } from './contract/route-schema.ts';
import { innerRequest, performInside } from './inner-requests.ts';
import type { RunningHandlers } from './running-handlers.ts';

interface RouteDeps extends WorkDeps {
  gate: Gate;
  idempotency: Idempotency;
  handlers: RunningHandlers;
}

/** Registers the routes of the domains on the server, each behind the gate. */
export function registerRoutes(app: FastifyInstance, routes: Route[], deps: RouteDeps): void {
  const add = (scope: FastifyInstance, route: Route): void => {
    scope.route(optionsOf(route, route.path, deps));
    for (const path of route.aliases ?? [])
      scope.route({ ...optionsOf(route, path, deps), schema: { ...schemaOf(route), hide: true } });
  };
  for (const route of routes.filter((one) => !one.streamsBody)) add(app, route);
  answerPreflights(app, routes);
  app.register(async (scope) => {
    // The handler of these routes reads the body as a stream, whatever its content type is.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.addHook('onRequest', async (request) => {
      request.sentHeaders = { ...request.raw.headers };
      delete request.raw.headers['content-type'];
    });
    scope.addHook('preValidation', refuseOtherBodies);
    for (const route of routes.filter((one) => one.streamsBody)) add(scope, route);
  });
}

function optionsOf(route: Route, path: string, deps: RouteDeps): RouteOptions {
  const { gate, shedding, handlers } = deps;
  const success = Number(Object.keys(route.answers).find((status) => status.startsWith('2')) ?? 200);
  // Streaming a body may take hours and costs other requests little.
  const isCounted = !route.neverShed && !route.streamsBody;
  return {
    method: route.method === 'UPDATE' ? updateMethod : route.method,
    url: path,
    config: {
      formBody: route.formBody !== undefined && route.formBody !== false,
      largeForm: route.formBody === 'large',
      streamsBody: route.streamsBody ?? false,
      documented: documentedOf(route),
      ...(route.problemPage && { problemPage: route.problemPage }),
    },
    schema: schemaOf(route),
    onRequest: (request, reply) => {
      if (route.crossOrigin) shareWithOrigin(request, reply);
      if (!route.neverShed && shedding.isLate(request.visitor)) {
        // A client that retries at once then waits for a new connection, behind those that are served.
        reply.header('connection', 'close');
        throw shedding.reject('delay');
      }
      return gate.enter(route, request, reply);
    },
    ...(route.formBody && { preValidation: emptyForm }),
    handler: (request, reply) =>
      atWork(deps, { visitor: request.visitor, isCounted }, (hold) =>
        handlers.run(async () => {
          if (reply.raw.destroyed) throw clientGone();
          const contextOf = () =>
            new Context(request, reply, {
              hold,
              authenticate: () => gate.authenticate(route, request),
              renew: () => gate.renew(route, request),
            });
          const answer = await answerTo(route, success, request, contextOf, deps);
          if (request.trial && answer.status >= 400) throw request.trial;
          return send(reply, answer);
        }),
      ),
  };
}

/**
 * Refuses a body that is not the bytes themselves before it is read: a partial PUT must not replace the whole (RFC 9110, §14.5), and
 * a form has an envelope around them (`curl -F`).
 */
async function refuseOtherBodies({ headers, sentHeaders }: FastifyRequest): Promise<void> {
  if (/^multipart\//i.test(sentHeaders?.['content-type'] ?? ''))
    throw new Problem(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the bytes themselves as the body, not a form: `curl -T file`, not `curl -F`.',
    );
  if (headers['content-range'] === undefined) return;
  const message = 'is not taken: send all of the bytes (large files: POST /v1/uploads)';
  throw invalidInput([{ path: 'headers/content-range', message }]);
}

/** Reads a missing body as a form without fields. */
async function emptyForm(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}

/** Answers with the rights of the end: a read that was answered with others is handled again, or refused. */
async function answerTo(
  route: Route,
  success: number,
  request: FastifyRequest,
  contextOf: () => Context,
  { gate, idempotency }: RouteDeps,
): Promise<Answer> {
  const run = async (): Promise<Answer> => {
    const result = await route.handle(contextOf()).catch(async (error: unknown) => {
      if (error instanceof Problem && error.status === 403) await gate.recordRefusal(route, request);
      throw error;
    });
    return result instanceof Answer ? result : new Answer(success, result);
  };
  for (;;) {
    await gate.pass(route, request);
    // A failure may name a value as well.
    const [made] = await Promise.allSettled([maybeOnce(route, request, idempotency, run)]);
    let isKept = false;
    try {
      isKept = await gate.keepsRights(route, request);
      if (isKept && made.status === 'rejected') throw made.reason;
      if (isKept && made.status === 'fulfilled') return made.value;
    } finally {
      if (!isKept && made.status === 'fulfilled' && made.value.body instanceof Readable)
        made.value.body.destroy();
    }
  }
}

function maybeOnce(
  route: Route,
  request: FastifyRequest,
  idempotency: Idempotency,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  // A handler that reads the body compares it itself.
  if (!isRepeatable(route) || route.streamsBody || typeof key !== 'string' || !request.caller) return run();
  const { method, body, account } = request;
  const { rightsKey } = request.caller;
  const url = canonicalAddress(route, request.url);
  return idempotency.once({ key, rightsKey, method, url, account, body }, run);
}

/** Returns the same address for all aliases of a route, so that a repetition under another alias is recognised. */
function canonicalAddress({ path, aliases = [] }: Route, url: string): string {
  const alias = aliases.find((one) => path.endsWith(one));
  if (alias === undefined) return url;
  const prefix = path.slice(0, -alias.length);
  return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url;
}

/** Context of a handler. A class, so that `signal` is created only when a handler reads it. */
class Context implements RouteContext<never, never, never, unknown> {
  readonly caller: never;
  readonly account: string;
  readonly isAccountAlias: boolean;
  readonly resource: unknown;
  readonly params: never;
  readonly query: never;
  readonly body: never;
  readonly requestId: string;
  readonly method: string;
  readonly headers: FastifyRequest['headers'];
  readonly url: string;
  readonly address: string;
  readonly stream: FastifyRequest['raw'];
  readonly wait: Wait;
  readonly perform: RouteContext<never, never, never, unknown>['perform'];
  readonly renew: () => Promise<Caller>;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      hold,
      authenticate,
      renew,
    }: { hold: Hold; authenticate: () => Promise<Caller>; renew: () => Promise<Caller> },
  ) {
    this.caller = request.caller as never;
    this.account = request.account;
    this.isAccountAlias = request.isAccountAlias;
    this.resource = request.located?.record;
    this.params = request.params as never;
    this.query = request.query as never;
    this.body = request.body as never;
    this.requestId = request.id;
    this.method = request.method;
    this.headers = request.sentHeaders ?? request.headers;
    this.url = request.url;
    this.address = clientAddress(request);
    this.stream = request.raw;
    this.wait = (held) => hold(() => held(goneSignal(reply)));
    this.perform = (asked) =>
      hold(() =>
        performInside(request, { asked, authenticate, signal: this.signal, visitor: request.visitor }),
      );
    this.renew = renew;
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    this.#signal ??= innerRequest()?.signal ?? goneSignal(this.#reply);
    return this.#signal;
  }
}

/** Returns a signal that aborts when the connection closes before the response was written. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const closed = (): void => {
    if (!reply.raw.writableFinished) controller.abort(clientGone());
  };
  // If the response is already destroyed, 'close' will not fire again.
  if (reply.raw.destroyed) closed();
  else reply.raw.once('close', closed);
  return controller.signal;
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers(headers);
  return body === undefined ? reply.send() : reply.send(body);
}
