import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Problem } from '../../problem.ts';
import { Answer } from '../../route.ts';

/** Errors of the standard by their status; 400 has three. */
const errorNames: Record<number, string> = {
  401: 'InvalidAuthentication',
  403: 'PermissionDenied',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  // The standard has no names for these.
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};
const errorNamesByCode: Record<string, string> = {
  UNSUPPORTED_FORMAT: 'UnsupportedFormat',
  INVALID_RANGE: 'InvalidRange',
};

const standardType = 'application/vnd.ga4gh.htsget.v1.3.0+json; charset=utf-8';

const errorShape = Type.Object(
  {
    htsget: Type.Object({
      error: Type.String({ description: 'Name of the error in the standard' }),
      message: Type.String({ description: 'What went wrong, and what to do' }),
    }),
  },
  { title: 'HtsgetProblem' },
);

/** Errors of every route of htsget, for its description. */
export const htsgetErrors = {
  400: { schema: errorShape, description: 'InvalidInput, InvalidRange or UnsupportedFormat' },
  401: { schema: errorShape, description: 'InvalidAuthentication' },
  403: { schema: errorShape, description: 'PermissionDenied' },
  404: { schema: errorShape, description: 'NotFound: the id, or the sequence' },
  413: { schema: errorShape, description: 'PayloadTooLarge' },
  415: { schema: errorShape, description: 'InvalidInput: the body is no JSON' },
  422: { schema: errorShape, description: 'InvalidInput: the Idempotency-Key was used for something else' },
  429: { schema: errorShape, description: 'TooManyRequests' },
  503: {
    schema: errorShape,
    description: 'ServiceUnavailable: the file is being indexed, or a store is away',
  },
};

/** The standard's own type for who accepts it, else plain JSON, which every client reads. */
export function contentTypeFor(headers: IncomingHttpHeaders | Record<string, unknown>): string {
  const accepted = String(headers['accept'] ?? '');
  return accepted.includes('application/vnd.ga4gh.htsget') ? standardType : 'application/json; charset=utf-8';
}

/** A problem in the shape that clients of htsget know. */
export function htsgetProblem(problem: Problem, _requestId: string, headers: IncomingHttpHeaders): Answer {
  const error = errorNamesByCode[problem.code] ?? errorNames[problem.status] ?? 'InvalidInput';
  const body = JSON.stringify({ htsget: { error, message: problem.message } });
  return new Answer(problem.status, body, { 'content-type': contentTypeFor(headers) });
}

export function unsupportedFormat(message: string): Problem {
  return new Problem(400, 'UNSUPPORTED_FORMAT', message);
}

export function invalidRange(message: string): Problem {
  return new Problem(400, 'INVALID_RANGE', message);
}

/** For who may see that the thing is there: more than the answer to strangers says. */
export function nothingThere(message: string): Problem {
  return new Problem(404, 'NOT_FOUND', message);
}

export function beingIndexed(): Problem {
  const message = 'The file is being indexed. Ask again in a moment; without a region it can be read now.';
  return new Problem(503, 'BEING_INDEXED', message, { retryAfterS: 5 });
}
