import { operationExamples } from './operation-examples.ts';
import { parameterWords } from './parameter-words.ts';

interface Media {
  schema?: Record<string, unknown>;
  example?: unknown;
}

interface Described {
  $ref?: string;
  description?: string;
  content?: Record<string, Media>;
  /** Codes of the errors with this status. */
  'x-codes'?: string[];
}

interface Operation {
  operationId?: string;
  parameters?: { name: string; in: string; description?: string }[];
  requestBody?: Described;
  responses?: Record<string, Described>;
  security?: object[];
  /** Codes of 409. */
  'x-codes'?: string[];
}

/**
 * Completes the operations of an API document for generators of clients. Bodies and answers get the name of the operation,
 * bytes a type, parameters a description, bodies an example. The statuses of every operation get their codes.
 */
export function completeOperations<D extends { paths?: object; components?: object }>(document: D): D {
  const responses: Record<string, Described> = {};
  // Generators read no extension: what it alone uses would be unused.
  for (const [path, operations] of Object.entries<Record<string, Operation>>(Object(document.paths)))
    for (const [method, operation] of Object.entries(operations))
      if (!method.startsWith('x-')) complete(path, operation, responses);
  return { ...document, components: { ...document.components, responses } };
}

function complete(path: string, operation: Operation, shared: Record<string, Described>): void {
  const { operationId, parameters = [], requestBody, responses = {} } = operation;
  if (operationId === undefined) return;
  for (const parameter of parameters) parameter.description ??= parameterWords(path, parameter.name) ?? '';
  for (const described of [requestBody, ...Object.values(responses)]) typeBytes(described);
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  nameSchema(requestBody?.content?.['application/json'], `${name}Body`);
  nameSchema(requestBody?.content?.['application/x-www-form-urlencoded'], `${name}Form`);
  for (const [status, answer] of Object.entries(responses))
    if (status.startsWith('2')) nameSchema(answer.content?.['application/json'], `${name}Answer`);
  const body = requestBody?.content?.['application/json'];
  if (body && Object.hasOwn(operationExamples, operationId)) body.example = operationExamples[operationId];
  addStatuses(path, operation, shared);
}

/** Replaces types with a wildcard, whose bodies generators skip, by types of bytes. */
function typeBytes(described: Described | undefined): void {
  const { content } = described ?? {};
  for (const range of Object.keys(content ?? {}))
    if (content && range.includes('*')) {
      delete content[range];
      const types = range === 'image/*' ? pictureTypes : ['application/octet-stream'];
      for (const type of types) content[type] = { schema: { type: 'string', format: 'binary' } };
    }
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Gives the schema of an object a title, under which it is shared. */
function nameSchema(media: Media | undefined, title: string): void {
  if (!media?.schema) return;
  const described = media.schema['x-described'];
  const schema = { ...Object(described ?? media.schema) };
  if (schema.type === 'object' && schema.title === undefined) media.schema = { title, ...schema };
}

/** Answers of errors that many operations share, by the key of their status. */
const sharedAnswers: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ['InvalidInput', '`INVALID_INPUT`: `details` names each field that is wrong'],
  401: ['Unauthenticated', '`UNAUTHENTICATED`: no valid credential'],
  403: ['Forbidden', '`FORBIDDEN`: the policies do not allow it'],
  404: ['NotFound', '`NOT_FOUND`: nothing there, or nothing that the caller may see'],
  412: ['PreconditionFailed', '`PRECONDITION_FAILED`: the resource has changed since'],
  413: [
    'TooLarge',
    '`TOO_LARGE`: the body is larger than the service takes; `ACCOUNT_FULL`: the quota is used up',
  ],
  415: ['UnsupportedMediaType', '`UNSUPPORTED_MEDIA_TYPE`: the body is not of the type of the operation'],
  422: ['Unprocessable', '`IDEMPOTENCY_KEY_REUSED`: the key was used for another request'],
  429: ['TooManyRequests', '`TOO_MANY_REQUESTS`: try again after `Retry-After` seconds'],
  '4XX': ['ClientError', 'Refusal with its remedy'],
  '5XX': ['ServerError', 'Failure of the service; with 503 try again after `Retry-After` seconds'],
};

/** Adds the statuses that follow from the shape of an operation, and shares the answers of errors. */
function addStatuses(path: string, operation: Operation, shared: Record<string, Described>): void {
  const { responses = {}, requestBody, parameters = [], security = [], 'x-codes': codes = [] } = operation;
  delete operation['x-codes'];
  const problem = responses['4XX'];
  // Standards and pages have their own errors.
  const types = Object.keys(problem?.content ?? {});
  if (!problem || types.length !== 1 || types[0] !== 'application/json') return;
  const { description: _, ...schema } = Object(problem.content?.['application/json']?.schema);
  const content = { 'application/json': { schema } };
  const codesText = codes.map((code) => `\`${code}\``).join(', ');
  // Some standards have a form of their own for it.
  const conflict = responses[409] ?? { ...problem, content };
  if (codes.length > 0) responses[409] = { ...conflict, description: codesText, 'x-codes': codes };
  const isRepeatable = parameters.some(({ name }) => name === 'Idempotency-Key');
  const hasBody = requestBody !== undefined;
  const added = {
    400: hasBody || parameters.some((one) => one.in !== 'header'),
    401: security.length > 0,
    403: security.length > 0,
    404: path.includes('{'),
    412: parameters.some(({ name }) => name === 'If-Match'),
    413: hasBody,
    415: hasBody,
    422: isRepeatable,
    429: true,
  };
  const wanted = Object.entries(added).flatMap(([status, isAnswered]) => (isAnswered ? [status] : []));
  for (const status of [...wanted, '4XX', '5XX']) {
    if (!status.endsWith('XX') && responses[status]) continue;
    const [name, description] = sharedAnswers[status] ?? ['', ''];
    shared[name] = { ...problem, description, content };
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
}
