import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../problem.ts';
import { Answer } from '../../route.ts';
import { Type } from '../../schema.ts';

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

export const standardType = 'application/vnd.ga4gh.htsget.v1.3.0+json';

const errorShape = Type.Object(
  {
    htsget: Type.Object({
      error: Type.String({ description: 'Name of the error in the standard' }),
      message: Type.String({ description: 'What went wrong, and what to do' }),
    }),
  },
  { title: 'HtsgetProblem' },
);

const told = (description: string) => ({ schema: errorShape, description, alsoAs: standardType });

/** Errors of every route of htsget, for its description. */
export const htsgetErrors = {
  400: told('InvalidInput, InvalidRange or UnsupportedFormat'),
  401: told('InvalidAuthentication'),
  403: told('PermissionDenied'),
  404: told('NotFound: the id, or the sequence'),
  413: told('PayloadTooLarge'),
  415: told('InvalidInput: the body is no JSON'),
  422: told('InvalidInput: the Idempotency-Key was used for something else'),
  429: told('TooManyRequests'),
  503: told('ServiceUnavailable: the file is being indexed, or a store is away'),
};

/** The standard's own type for who accepts it, else plain JSON, which every client reads. */
export function contentTypeFor(headers: IncomingHttpHeaders | Record<string, unknown>): string {
  const accepted = String(headers['accept'] ?? '');
  return accepted.includes('application/vnd.ga4gh.htsget')
    ? `${standardType}; charset=utf-8`
    : 'application/json; charset=utf-8';
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
