import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { invalidInput, Problem } from '../problem.ts';
import { Answer, type Route, type RouteContext } from '../route.ts';
import { clientAddress } from './client-address.ts';
import { answerPreflights, shareWithOrigin } from './cross-origin.ts';
import type { Gate } from './gate.ts';
import type { Idempotency } from './idempotency.ts';
import type { Overload } from './overload.ts';
import { clientGone } from './problems.ts';
import { documentedOf, isRepeatable, schemaOf } from './route-schema.ts';
import { updateMethod } from './update-method.ts';

interface RouteParts {
  gate: Gate;
  idempotency: Idempotency;
  overload: Overload;
}

/** Puts the routes of the domains onto the server, each behind the gate. */
export function registerRoutes(app: FastifyInstance, routes: Route[], parts: RouteParts): void {
  const add = (scope: FastifyInstance, route: Route): void => {
    scope.route(optionsOf(route, route.path, parts));
    for (const path of route.aliases ?? [])
      scope.route({ ...optionsOf(route, path, parts), schema: { ...schemaOf(route), hide: true } });
  };
  for (const route of routes.filter((one) => !one.streamsBody)) add(app, route);
  answerPreflights(app, routes);
  app.register(async (scope) => {
    // In this scope a body is a stream, whatever its content type says, were it rubbish: the handler reads it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.addHook('onRequest', async (request) => {
      request.sentHeaders = { ...request.raw.headers };
      delete request.raw.headers['content-type'];
    });
    scope.addHook('preValidation', refuseFragments);
    for (const route of routes.filter((one) => one.streamsBody)) add(scope, route);
  });
}

function optionsOf(route: Route, path: string, parts: RouteParts): RouteOptions {
  const { gate, overload } = parts;
  const success = Number(Object.keys(route.answers).find((status) => status.startsWith('2')) ?? 200);
  // A body that streams may take its day, and costs the others little.
  const always = route.neverTurnedAway === true || route.streamsBody === true;
  return {
    method: route.method === 'UPDATE' ? updateMethod : route.method,
    url: path,
    config: {
      formBody: route.formBody ?? false,
      streamsBody: route.streamsBody ?? false,
      documented: documentedOf(route),
      ...(route.problemPage && { problemPage: route.problemPage }),
    },
    schema: schemaOf(route),
    onRequest: (request, reply) => {
      if (route.crossOrigin) shareWithOrigin(request, reply);
      if (!route.neverTurnedAway && overload.isOver()) throw overload.turnAway('delay');
      return gate.enter(route, request);
    },
    ...(route.formBody && { preValidation: emptyForm }),
    handler: async (request, reply) => {
      overload.take(always);
      try {
        return send(reply, await answerTo(route, success, request, reply, parts));
      } finally {
        overload.leave();
      }
    },
  };
}

/** RFC 9110, §14.5: who takes no part of a thing must not take it for the whole. Before a byte is read. */
async function refuseFragments({ headers }: FastifyRequest): Promise<void> {
  if (headers['content-range'] === undefined) return;
  const message = 'is not taken: send all of the bytes (large files: POST /v1/uploads)';
  throw invalidInput([{ path: 'headers/content-range', message }]);
}

/** A form without a field is sent without a body. */
async function emptyForm(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}

async function answerTo(
  route: Route,
  success: number,
  request: FastifyRequest,
  reply: FastifyReply,
  { gate, idempotency }: RouteParts,
): Promise<Answer> {
  await gate.pass(route, request);
  const run = async (): Promise<Answer> => {
    const result = await route.handle(new Context(request, reply)).catch(async (error: unknown) => {
      if (error instanceof Problem && error.status === 403) await gate.tellRefusal(route, request);
      throw error;
    });
    return result instanceof Answer ? result : new Answer(success, result);
  };
  return maybeOnce(route, request, idempotency, run);
}

function maybeOnce(
  route: Route,
  request: FastifyRequest,
  idempotency: Idempotency,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (!isRepeatable(route) || typeof key !== 'string' || !request.caller) return run();
  const { method, body, account } = request;
  const { standing } = request.caller;
  const url = oneAddress(route, request.url);
  return idempotency.once({ key, standing, method, url, account, body }, run);
}

/** Of two addresses that answer the same the one that clients are known to call: a repetition under the other is none the less one. */
function oneAddress({ path, aliases = [] }: Route, url: string): string {
  const alias = aliases.find((one) => path.endsWith(one));
  if (alias === undefined) return url;
  const prefix = path.slice(0, -alias.length);
  return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url;
}

/**
 * What a handler is handed. A class, because `signal` is made only for those who ask: an object literal with a getter gets a
 * hidden class of its own, which keeps everything of its request alive until a full collection.
 */
class Context implements RouteContext<never, never, never, unknown> {
  readonly caller: never;
  readonly account: string;
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
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.caller = request.caller as never;
    this.account = request.account;
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
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    return goneSignal(this.#reply);
  }
}

/** Aborted when the connection closes before the answer has been written. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const closed = (): void => {
    if (!reply.raw.writableFinished) controller.abort(clientGone());
  };
  // Who is asked for first after the client has gone would never hear of it.
  if (reply.raw.destroyed) closed();
  else reply.raw.once('close', closed);
  return controller.signal;
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers(headers);
  return body === undefined ? reply.send() : reply.send(body);
}
