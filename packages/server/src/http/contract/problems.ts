import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../base/error-codes/index.ts';
import { Problem, storageFull } from '../../base/problem.ts';
import { isFull, isUnavailable } from '../../platform/records/errors.ts';
import { keepUntilRead } from '../connection/slow-bodies.ts';

/** Body of every error (docs/api/requests.md, "Errors"). */
export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
  details?: { path: string; message: string }[];
}

/** Problems for errors of the framework, whose own messages are not passed on. */
const libraryErrors: Record<string, [number, ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'TOO_LARGE', 'The body is larger than this service takes.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'INVALID_JSON', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'INVALID_LENGTH',
    'The body is not as long as Content-Length states.',
  ],
  FST_ERR_BAD_URL: [400, 'INVALID_URL', 'The address is not valid.'],
  FST_ERR_MAX_PARAM_LENGTH: [404, 'NOT_FOUND', 'There is nothing here, or nothing that you may see.'],
};

/** Turns any thrown value into a Problem; an unexpected one becomes a 500 without details. `takesForm`: whether the route reads a form. */
export function toProblem(error: unknown, takesForm = false): Problem {
  if (error instanceof Problem) return error;
  const fastify = error as Partial<FastifyError>;
  if (isAbortedBody(error)) return clientGone();
  if (fastify.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(takesForm, error);
  const known = libraryErrors[fastify.code ?? ''];
  if (known) return new Problem(...known, { cause: error });
  if (error instanceof SyntaxError && fastify.statusCode === 400) {
    return new Problem(400, 'INVALID_JSON', 'The body is not valid JSON.', { cause: error });
  }
  if (isFull(error)) return storageFull(error);
  if (isUnavailable(error)) {
    const message = 'The records cannot be reached at present. Try again in a moment.';
    return new Problem(503, 'UNAVAILABLE', message, { cause: error, retryAfterS: 5 });
  }
  if (typeof fastify.statusCode === 'number' && fastify.statusCode >= 400 && fastify.statusCode < 500) {
    return new Problem(fastify.statusCode, 'INVALID_REQUEST', 'The request is not valid.', { cause: error });
  }
  return new Problem(
    500,
    'INTERNAL',
    'Something went wrong on our side. Try again; the request id helps to find it.',
    {
      cause: error,
    },
  );
}

/** Problem of a body of another type than the route accepts. */
export function wrongMediaType(takesForm = false, cause?: unknown): Problem {
  const wanted = takesForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', `Send the body as ${wanted}.`, { cause });
}

/** Problem of a client that hung up; without it the service would count and log a failure of its own. */
export function clientGone(): Problem {
  return new Problem(400, 'INCOMPLETE', 'The connection ended before the request was complete.');
}

/** Reports whether reading a body failed because its connection ended (node:_http_server, `abortIncoming`). */
function isAbortedBody(error: unknown): boolean {
  return error instanceof Error && error.message === 'aborted' && Reflect.get(error, 'code') === 'ECONNRESET';
}

/** Sends a problem, by default in the error format of its route. Its cause is logged and never sent. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  problemPage = request.routeOptions.config.problemPage,
): FastifyReply {
  // Rejected requests are logged together, by http/connection/load-shedding.ts.
  if (problem.status >= 500 && problem.code !== 'OVERLOADED')
    request.log.error(
      { requestId: request.id, err: problem.cause ?? problem, code: problem.code },
      problem.message,
    );
  keepUntilRead(request, reply);
  const body: ErrorBody = { error: problem.message, code: problem.code, requestId: request.id };
  if (problem.details) body.details = problem.details;
  reply.headers(problem.headers);
  if (problem.retryAfterS !== undefined) reply.header('retry-after', String(problem.retryAfterS));
  const shown = problemPage?.(problem, request.id, request.headers);
  if (shown) return reply.code(shown.status).headers(shown.headers).serializer(String).send(shown.body);
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}
