import { isOpen, operationOf } from '../../access/operations.ts';
import { anyType, type DeclaredAnswer, type RequestHeader, type Route } from '../../api/route.ts';
import { operationName } from './operation-names.ts';
import { securityOf } from './security-schemes.ts';

/** Returns the schema of a route: it validates requests, serializes responses and describes both in the API document. */
export function schemaOf(route: Route): Record<string, unknown> {
  const response = Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [status, answerOf(route, status, answer)]),
  );
  const problem = (statuses: string) => ({
    ...(showsPages(route) ? problemOrPage : errorShape),
    headers: headersWith(route, statuses),
  });
  return {
    operationId: operationName(route),
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    ...(route.formBody && { consumes: ['application/x-www-form-urlencoded'] }),
    response: { ...response, '4xx': problem('4xx'), '5xx': problem('5xx') },
    security: securityOf(route),
    'x-codes': [...(route.conflicts ?? []), ...(isRepeatable(route) ? ['IDEMPOTENCY_KEY_BUSY'] : [])],
  };
}

/** Returns the parts that only the API document has: the gate and the handlers check them. */
export function documentedOf({ described, ...route }: Route): object {
  const properties = {
    ...(route.accountHeader && { 'Service-Account': account }),
    ...(isRepeatable(route) && { 'Idempotency-Key': idempotencyKey }),
    ...Object.fromEntries((route.headers ?? []).map((name) => [name, requestHeaders[name]])),
  };
  const required = [
    ...(route.accountHeader === true ? ['Service-Account'] : []),
    ...(['Content-Length', 'Prefer'] as const).filter((name) => route.headers?.includes(name)),
  ];
  return {
    headers: { type: 'object', properties, required },
    ...(described?.query && { querystring: described.query }),
    ...(described?.body && { body: described.body }),
    ...(route.streamsBody && { consumes: ['*/*'], body: { description: 'The bytes' } }),
  };
}

/** Reports whether `Idempotency-Key` applies: to POST of a known caller that does not only read. */
export function isRepeatable({ method, operation, onlyReads }: Route): boolean {
  return method === 'POST' && !onlyReads && !isOpen(operation);
}

function descriptionOf({ description, aliases = [], operation }: Route): string {
  const { needs } = operationOf(operation);
  return [
    description,
    ...aliases.map((alias) => `\`${alias.replace(/:(\w+)/g, '{$1}')}\` answers the same.`),
    `Needs: ${Array.isArray(needs) ? needs.join(' or ') : needs}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function answerOf(route: Route, status: string, answer: DeclaredAnswer): object {
  const { schema, description, contentType, alsoAs } = answer;
  const headers = headersWith(route, status);
  if (!contentType && !alsoAs) return { ...(schema ?? { type: 'null' }), description, headers };
  const content = { [contentType ?? 'application/json']: { schema: schema ?? {} } };
  // Nothing is known about stored bytes.
  const other = alsoAs === anyType ? {} : (schema ?? {});
  return { description, headers, content: { ...content, ...(alsoAs && { [alsoAs]: { schema: other } }) } };
}

/** Returns the response headers that clients may use. */
function headersWith(route: Route, status: string): object {
  return {
    'X-Request-Id': text('Id of the request: in the log, and in the body of errors'),
    ...(route.answers[Number(status)]?.etag && { ETag: text('Changes with what is shown') }),
    ...(status.startsWith('2') && isRepeatable(route) && { 'Idempotency-Replayed': replayed }),
    ...(status === '202' && {
      'Content-Location': text('Address of the state'),
      'X-Progress': text('Part of the work that is done'),
    }),
    ...(status === '206' && { 'Content-Range': text('Bytes of the part, and of the whole') }),
    ...(status === '302' && { Location: text('Redirect to the next step') }),
    ...(['401', '4xx'].includes(status) && { 'WWW-Authenticate': text('With 401') }),
    ...(['429', '503', '4xx', '5xx'].includes(status) && { 'Retry-After': retryAfter }),
  };
}

const text = (description: string) => ({ type: 'string', description });

const account = text(
  'Id of the account. The setting PLOIDY_ACCOUNT_HEADERS adds further names for this header',
);
const idempotencyKey = {
  ...text('A repetition with the same key and body gets the first answer again, for 24 hours'),
  minLength: 1,
  maxLength: 255,
};
const replayed = text('`true`: the answer to the first request with this Idempotency-Key');
const retryAfter = { type: 'integer', description: 'Seconds after which to try again, with 429 and 503' };

const requestHeaders: Record<RequestHeader, object> = {
  'If-Match': text('An ETag: only while it is unchanged (412)'),
  'If-Unmodified-Since': text('A date: only while it is no newer (412); counts without If-Match'),
  'If-Modified-Since': text('A date: only when it is newer (304); counts without If-None-Match'),
  'If-None-Match': text('ETags of what the reader has (304)'),
  'Last-Event-ID': text('Id of the last event that arrived: the stream goes on behind it'),
  'If-Range': text('An ETag: the range only while it is that of the file, else the whole file'),
  Prefer: text('`respond-async`: the work goes on after the answer'),
  Range: text('One range of bytes, such as `bytes=0-99`'),
  'Content-MD5': text('Base64 MD5 of the body, which is verified'),
  'Content-Length': { type: 'integer', description: 'Bytes of the body' },
};

/** Reports whether a route answers errors with pages; standards with their own error format declare theirs. */
function showsPages({ problemPage, answers }: Route): boolean {
  return problemPage !== undefined && Object.values(answers).some((one) => one.contentType === 'text/html');
}

/** Schema of every error (docs/api/requests.md, "Errors"). */
const errorShape = {
  title: 'Problem',
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'One sentence for people' },
    code: { type: 'string', description: 'Stable code for programs' },
    requestId: { type: 'string', description: 'Id of the request, as in the log' },
    details: {
      type: 'array',
      description: 'Each wrong field; absent where no field is',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'Place in the request, such as `body/name`' },
          message: { type: 'string', description: 'Error, as the rest of a sentence about the field' },
        },
      },
    },
  },
  description: 'Error with its remedy',
};

/** Error of a route that shows a page to browsers and JSON to programs. */
const problemOrPage = {
  description: errorShape.description,
  content: { 'application/json': { schema: errorShape }, 'text/html': { schema: { type: 'string' } } },
};
