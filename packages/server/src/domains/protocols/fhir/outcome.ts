import { Type } from 'typebox';
import { Answer } from '../../../api/route.ts';
import type { Problem } from '../../../base/problem.ts';

/** Content type of every answer of the interface. */
export const fhirType = 'application/fhir+json';

/** Headers of an answer with resources. */
export const fhirHeaders = { 'content-type': `${fhirType}; charset=utf-8`, 'cache-control': 'no-store' };

/** Sentence for clients that would write. */
export const wayOfWrites =
  'Resources arrive and are replaced by ingestion: POST a Bundle to the base, or POST /v1/files with `ingest` and PUT the bytes to its `uploadUrl`.';

/** Issue types of R4 by status (value set `issue-type`). */
const issueTypes: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  406: 'not-supported',
  409: 'conflict',
  413: 'too-long',
  415: 'not-supported',
  422: 'too-costly',
  429: 'throttled',
  503: 'transient',
};

/** Builds an issue of an OperationOutcome. */
export const issueOf = (
  severity: 'error' | 'warning' | 'information',
  code: string,
  text: string,
): object => ({
  severity,
  code,
  details: { text },
});

/** Builds an OperationOutcome with one issue. */
export const outcomeOf = (severity: 'error' | 'warning', code: string, text: string): object => ({
  resourceType: 'OperationOutcome',
  issue: [issueOf(severity, code, text)],
});

/** Writes an OperationOutcome with several issues. */
export const outcomeText = (issue: readonly object[]): string =>
  JSON.stringify({ resourceType: 'OperationOutcome', issue });

export const outcomeShape = Type.Object(
  {
    resourceType: Type.Literal('OperationOutcome', { description: 'Type of the resource' }),
    issue: Type.Array(
      Type.Object(
        {
          severity: Type.String({ description: '`error`, `warning` or `information`' }),
          code: Type.String({ description: 'Kind of the error in FHIR' }),
          details: Type.Object(
            { text: Type.String({ description: 'Sentence for people' }) },
            { description: 'Description of the error' },
          ),
          diagnostics: Type.Optional(Type.String({ description: 'Code of the error in this service' })),
        },
        { additionalProperties: false },
      ),
      { description: 'Errors of the request' },
    ),
  },
  { title: 'OperationOutcome', additionalProperties: false },
);

const answer = (description: string) => ({ schema: outcomeShape, description, contentType: fhirType });

/** Documented errors of every route of the interface. */
export const fhirErrors = {
  400: answer('A parameter or its value is wrong'),
  401: answer('No valid credential'),
  403: answer('The caller sees no resource in full'),
  404: answer('Unknown, or hidden from the caller'),
  405: answer('Resources arrive by ingestion'),
  406: answer('Only JSON of FHIR 4.0 is there'),
  422: answer('The search is too costly'),
  429: answer('Too many requests'),
  503: answer('Temporarily unavailable'),
};

/** Converts a problem to an OperationOutcome, the error format of FHIR. */
export function fhirProblem({ status, code, message, details = [] }: Problem): Answer {
  const texts = details.length > 0 ? details.map(({ path, message: text }) => `${path} ${text}`) : [message];
  const body = {
    resourceType: 'OperationOutcome',
    issue: texts.map((text) => ({
      severity: 'error',
      code: issueTypes[status] ?? 'exception',
      details: { text: status === 405 ? `${text} ${wayOfWrites}` : text },
      diagnostics: code,
    })),
  };
  return new Answer(status, JSON.stringify(body), fhirHeaders);
}
