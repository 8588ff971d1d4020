import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { operationOf } from '../access/operations.ts';
import { Answer, type Route, type RouteContext } from '../route.ts';
import type { Gate } from './gate.ts';
import type { Idempotency } from './idempotency.ts';
import { clientGone } from './problems.ts';
import { updateMethod } from './update-method.ts';

/** Puts the routes of the domains onto the server, each behind the gate. */
export function registerRoutes(
  app: FastifyInstance,
  routes: Route[],
  gate: Gate,
  idempotency: Idempotency,
): void {
  const add = (scope: FastifyInstance, route: Route): void => {
    scope.route(optionsOf(route, route.path, gate, idempotency));
    if (route.alias)
      scope.route({ ...optionsOf(route, route.alias, gate, idempotency), schema: hidden(route) });
  };
  for (const route of routes.filter((one) => !one.streamsBody)) add(app, route);
  app.register(async (scope) => {
    // In this scope a body is a stream, whatever its content type says, were it rubbish: the handler reads it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.addHook('onRequest', async (request) => void delete request.raw.headers['content-type']);
    for (const route of routes.filter((one) => one.streamsBody)) add(scope, route);
  });
}

function optionsOf(route: Route, path: string, gate: Gate, idempotency: Idempotency): RouteOptions {
  const success = Number(Object.keys(route.answers).find((status) => status.startsWith('2')) ?? 200);
  return {
    method: route.method === 'UPDATE' ? updateMethod : route.method,
    url: path,
    config: {
      formBody: route.formBody ?? false,
      streamsBody: route.streamsBody ?? false,
      ...(route.problemPage && { problemPage: route.problemPage }),
    },
    schema: schemaOf(route),
    onRequest: (request) => gate.enter(route, request),
    preHandler: (request) => gate.pass(route, request),
    handler: async (request, reply) => {
      const run = async (): Promise<Answer> => {
        const result = await route.handle(contextOf(request, reply));
        return result instanceof Answer ? result : new Answer(success, result);
      };
      return send(reply, await maybeOnce(route, request, idempotency, run));
    },
  };
}

function maybeOnce(
  route: Route,
  request: FastifyRequest,
  idempotency: Idempotency,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (route.method !== 'POST' || typeof key !== 'string' || !request.caller) return run();
  const { method, url, body, account } = request;
  return idempotency.once({ key, userId: request.caller.userId, method, url, account, body }, run);
}

function contextOf(request: FastifyRequest, reply: FastifyReply): RouteContext<never, never, never, unknown> {
  return {
    caller: request.caller as never,
    account: request.account,
    resource: request.located?.record,
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    requestId: request.id,
    method: request.method,
    headers: request.headers,
    url: request.url,
    address: request.ip,
    stream: request.raw,
    get signal() {
      return goneSignal(reply);
    },
  };
}

/** Aborted when the connection closes before the answer has been written. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(clientGone());
  });
  return controller.signal;
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers(answer.headers);
  return answer.body === undefined ? reply.send() : reply.send(answer.body);
}

function schemaOf(route: Route): Record<string, unknown> {
  const response = Object.fromEntries(
    Object.entries(route.answers).map(([status, { schema, description, contentType }]) => [
      status,
      contentType
        ? { description, content: { [contentType]: { schema: schema ?? {} } } }
        : { ...(schema ?? { type: 'null' }), description },
    ]),
  );
  const needs = operationOf(route.operation).needs;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, `Needs: ${Array.isArray(needs) ? needs.join(' or ') : needs}.`]
      .filter(Boolean)
      .join('\n\n'),
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    ...(route.accountHeader && { headers: accountHeader }),
    response: { ...response, '4xx': errorShape, '5xx': errorShape },
    security: needs === 'public' || needs === 'signature' ? [] : [{ apiKey: [] }],
  };
}

/** `GET /v1/projects/:id` → `getV1ProjectsById`: stable, unique, readable. */
function operationId(route: Route): string {
  const words = route.path.split('/').filter(Boolean);
  const text = words.map((word) => (word.startsWith(':') ? `By-${word.slice(1)}` : word)).join('-');
  const camel = text.replace(/(^|[-.])(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  return `${route.method.toLowerCase()}${camel}`;
}

/** docs/clarifications.md, "Errors". */
const errorShape = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'One sentence for people' },
    code: { type: 'string', description: 'Stable code for programs' },
    requestId: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
  description: 'What went wrong, and what to do',
};

/** Described, not validated here: the gate checks it, under all its names, and in the right order. */
const accountHeader = {
  type: 'object',
  properties: { 'service-account': { type: 'string', description: 'Id of the account' } },
};

function hidden(route: Route): Record<string, unknown> {
  return { ...schemaOf(route), hide: true };
}
