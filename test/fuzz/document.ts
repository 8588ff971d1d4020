import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { readApiDocument } from '../support/api-document.ts';
import type { Answered } from './wire.ts';

/** The part of JSON Schema that the API document uses. */
export interface Schema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';
  anyOf?: Schema[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

/** One operation of the API document. */
export interface Operation {
  /** `GET /v1/files/{id}`. */
  name: string;
  /** Value as it is sent. */
  method: string;
  path: string;
  parameters: Parameter[];
  /** Request schemas by media type. */
  requests: Content;
  answers: Record<string, { content?: Content; 'x-codes'?: string[] }>;
  /** Codes of 409. */
  codes: string[];
  /** Names of the credentials that open it; empty where it is open to all. */
  credentials: string[];
}

interface Described {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Operation['answers'];
  /** Codes of 409, beside an operation that OpenAPI does not have. */
  'x-codes'?: string[];
  security?: Record<string, unknown>[];
}

const { paths } = readApiDocument<{ paths: Record<string, Record<string, Described>> }>();

/** Every operation that `docs/openapi.json` describes. */
export const operations: readonly Operation[] = Object.entries(withAliases(paths)).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...named(method, path),
      path,
      parameters: described.parameters ?? [],
      requests: described.requestBody?.content ?? {},
      answers: described.responses,
      codes: described.responses['409']?.['x-codes'] ?? described['x-codes'] ?? [],
      credentials: (described.security ?? []).flatMap((one) => Object.keys(one)),
    })),
);

/** Routes under `/api/v1` exist under `/v1` too (docs/api/requests.md, "Addresses and headers"). */
function withAliases<T>(described: Record<string, T>): Record<string, T> {
  const both = Object.entries(described).map(
    ([path, methods]) => [path.replace(/^\/api/, ''), methods] as const,
  );
  return { ...described, ...Object.fromEntries(both) };
}

/** UPDATE is no method of OpenAPI 3.1: an extension declares it. */
function named(method: string, path: string): { name: string; method: string } {
  const sent = method.replace(/^x-/, '').toUpperCase();
  return { name: `${sent} ${path}`, method: sent };
}

const holes = (path: string): number => path.split('{').length - 1;
/** The most literal path first, as the router prefers it. */
const bySpecificity = operations.toSorted((one, other) => holes(one.path) - holes(other.path));
const patterns = new Map(
  operations.map(({ path }) => [
    path,
    new RegExp(`^${path.replace(/[.$]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
  ]),
);

/** The router reads no longer part of an address (http/server.ts, `maxParamLength`). */
const partMax = 2048;

/** Finds the operation of an address; an unreadable address has none. */
export function operationAt(method: string, target: string): Operation | undefined {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  if (!isReadable(path)) return undefined;
  const sought = method === 'HEAD' ? 'GET' : method;
  return bySpecificity.find((one) => one.method === sought && patterns.get(one.path)?.test(path));
}

function isReadable(path: string): boolean {
  try {
    return path.split('/').every((part) => decodeURIComponent(part).length <= partMax);
  } catch {
    return false;
  }
}

/** Another system failed (502), or there is no room or no time now (503, 507). */
const notOurs = [502, 503, 507];

const ajv = new Ajv({ strict: false, formats: { 'uri-reference': true } });
formats.default(ajv, ['date-time', 'uri']);
const validators = new WeakMap<Schema, ValidateFunction>();

/** Finds how an answer violates the document; `undefined` when it does not. */
export function faultIn(
  operation: Operation | undefined,
  sent: string,
  answer: Answered,
): string | undefined {
  const { status, headers, body } = answer;
  if (status >= 500 && !notOurs.includes(status)) return `a failure of the service: ${status}`;
  const missing = missingHeader(answer);
  if (missing) return `${status} without ${missing}`;
  if (sent === 'HEAD' && body.length > 0) return 'HEAD with a body';
  if (!operation || neverCame(answer)) return sent === 'HEAD' ? undefined : faultInUnknown(sent, answer);
  const declared = operation.answers[status] ?? operation.answers[`${String(status)[0]}XX`];
  if (!declared) return `the status ${status} is not declared`;
  if (sent === 'HEAD') return undefined;
  if (!declared.content)
    return body.length > 0 ? `${status} with a body of ${headers['content-type']}` : undefined;
  return faultInContent(declared.content, answer) ?? undeclaredCode(operation, answer);
}

/** Finds the code of a conflict that the document does not declare. Pages and standards have errors of their own. */
export function undeclaredCode(
  { answers, codes }: Operation,
  { status, body }: Pick<Answered, 'status' | 'body'>,
): string | undefined {
  const types = Object.keys(answers['4XX']?.content ?? {});
  if (status !== 409 || types.join() !== 'application/json') return undefined;
  const { issue, code = issue?.[0]?.diagnostics } = JSON.parse(body.toString());
  return codes.includes(code) ? undefined : `the code ${code} is not declared for 409`;
}

const anyError: Content = operations[0]?.answers['4XX']?.content ?? {};

/** Malformed HTTP may reach no operation: the refusal then has the common error shape, whatever the operation declares. */
const neverCame = (answer: Answered): boolean =>
  answer.status === 400 &&
  answer.body.includes('"code":"MALFORMED"') &&
  faultInContent(anyError, answer) === undefined;

/** Undocumented requests are refused; only CORS preflights are answered. */
function faultInUnknown(sent: string, answer: Answered): string | undefined {
  // The base of FHIR resources has errors of its own for every address below it.
  if (answer.status >= 400) return faultInContent({ 'application/fhir+json': {}, ...anyError }, answer);
  return sent === 'OPTIONS' ? undefined : `${answer.status} of an operation that is not in the document`;
}

/** Headers that the document's conventions promise with a status (docs/api/requests.md, "Errors"). */
function missingHeader({ status, headers }: Answered): string | undefined {
  const needed = { 401: 'www-authenticate', 405: 'allow', 429: 'retry-after', 503: 'retry-after' }[status];
  return needed !== undefined && headers[needed] === undefined ? needed : undefined;
}

function faultInContent(content: Content, { headers, body }: Answered): string | undefined {
  const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  // Stored bytes have the content type of their upload; the document declares them as bytes.
  if (headers['content-disposition'] && content['application/octet-stream']) return undefined;
  const declared = content[type];
  if (!declared) return `the content type ${type} is not declared`;
  if (type !== 'application/json' || !declared.schema) return undefined;
  let validate = validators.get(declared.schema);
  if (!validate) {
    validate = ajv.compile(declared.schema);
    validators.set(declared.schema, validate);
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return 'a body that is no JSON';
  }
  return validate(value)
    ? undefined
    : `a body that the document does not allow: ${ajv.errorsText(validate.errors)}`;
}
