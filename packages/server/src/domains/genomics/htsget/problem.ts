import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Answer } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';

/** Error names of the standard by status; 400 has three. */
const errorNames: Record<number, string> = {
  401: 'InvalidAuthentication',
  403: 'PermissionDenied',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  // Statuses without a name in the standard.
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};
const errorNamesByCode: Record<string, string> = {
  UNSUPPORTED_FORMAT: 'UnsupportedFormat',
  INVALID_RANGE: 'InvalidRange',
};

export const standardType = 'application/vnd.ga4gh.htsget.v1.3.0+json';

const errorShape = Type.Object(
  {
    htsget: Type.Object(
      {
        error: Type.String({ description: 'Name of the error in the standard' }),
        message: Type.String({ description: 'Description of the error and its remedy' }),
      },
      { description: 'Error in the form of the standard' },
    ),
  },
  { title: 'HtsgetProblem' },
);

const answer = (description: string) => ({ schema: errorShape, description, alsoAs: standardType });

/** Documented errors of every htsget route. */
export const htsgetErrors = {
  400: answer('InvalidInput, InvalidRange or UnsupportedFormat'),
  401: answer('InvalidAuthentication'),
  403: answer('PermissionDenied'),
  404: answer('NotFound: the id, or the sequence'),
  413: answer('PayloadTooLarge'),
  415: answer('InvalidInput: the body is not JSON'),
  422: answer('InvalidInput: the Idempotency-Key was used for something else'),
  429: answer('TooManyRequests'),
  503: answer('ServiceUnavailable: the file is being indexed, or a store is unavailable'),
};

/** Returns the standard's media type if accepted, else plain JSON, which every client reads. */
export function contentTypeFor(headers: IncomingHttpHeaders | Record<string, unknown>): string {
  const accepted = String(headers['accept'] ?? '');
  return accepted.includes('application/vnd.ga4gh.htsget')
    ? `${standardType}; charset=utf-8`
    : 'application/json; charset=utf-8';
}

/** Converts a problem to the error format of htsget. */
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

/** Answers a caller who may see the resource, with more detail than a plain 404. */
export function notFoundWithReason(message: string): Problem {
  return new Problem(404, 'NOT_FOUND', message);
}

export function beingIndexed(): Problem {
  const message = 'The file is being indexed. Retry in a moment, or request it without a region.';
  return new Problem(503, 'BEING_INDEXED', message, { retryAfterS: 5 });
}
