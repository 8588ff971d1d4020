import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { escapedKey, withPlainKeys } from '@ploidy/formats/fhir-documents';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../base/error-codes/index.ts';
import { invalidInput, Problem } from '../../base/problem.ts';
import { isUtf8Encoded } from '../../base/utf8-encoded.ts';
import { wrongMediaType } from '../contract/problems.ts';

const formType = 'application/x-www-form-urlencoded';

/** Bytes of a form, but for answers of SAML, which hold a signed document. */
const formBytesMax = 64 * 1024;

/** Parses the text of a body that is not empty. */
type Read = (text: string) => unknown;

/**
 * Registers the parsers of bodies. An empty body counts as none, whatever its headers (docs/api/requests.md, "Bodies"). Parsers
 * read bytes: decoding first would replace invalid UTF-8 by U+FFFD, which would be stored.
 */
export function acceptBodies(app: FastifyInstance): void {
  const bytes = { parseAs: 'buffer' } as const;
  const readJson = jsonReader(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (request.routeOptions.config.formBody) return done(wrongMediaType(true));
    return answer(done, () => withoutNull(request, read(request, body, readJson(request), 'INVALID_JSON')));
  });
  app.addContentTypeParser(formType, bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!request.routeOptions.config.formBody) return done(wrongMediaType(false));
    if (body.length > formBytesMax && !request.routeOptions.config.largeForm)
      return done(new Problem(413, 'TOO_LARGE', `A form may have ${formBytesMax} bytes.`));
    return answer(done, () => read(request, body, readForm, 'INVALID_INPUT'));
  });
  app.addContentTypeParser('*', bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    return done(wrongMediaType(request.routeOptions.config.formBody));
  });
}

type Done = (error: Error | null, body?: unknown) => void;

/** Passes the result of `work` on. `done` is called outside of `try`, so that its own errors are not caught here. */
function answer(done: Done, work: () => unknown): void {
  let value: unknown;
  try {
    value = work();
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, value);
}

function read({ headers }: FastifyRequest, body: Buffer, parse: Read, code: ErrorCode): unknown {
  refuseEncodings(headers['content-encoding']);
  refuseCharsets(headers['content-type'] ?? '');
  if (!isUtf8(body)) throw new Problem(400, code, notUtf8);
  return parse(body.toString());
}

/** Refuses a body that is `null`: the framework would validate it as no body. POST reads it as an empty object. */
function withoutNull({ method, routeOptions }: FastifyRequest, value: unknown): unknown {
  if (value !== null || method === 'POST' || !routeOptions.schema?.body) return value;
  throw invalidInput([{ path: 'body', message: 'must be an object' }]);
}

const notUtf8 = 'The body is not UTF-8: send its text in UTF-8.';

/** Refuses content codings with 415 and the accepted one (RFC 9110, §8.4 and §15.5.16). */
function refuseEncodings(header: string | undefined): void {
  if (header === undefined || /^(?:identity)?$/i.test(header.trim())) return;
  const message = 'Send the body as it is: this service takes none with a Content-Encoding.';
  throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'accept-encoding': 'identity' } });
}

/** Names of UTF-8, and of its subset. */
const charsets = ['utf-8', 'utf8', 'us-ascii'];

/** Refuses any other charset than UTF-8 (RFC 8259, §8.1). */
function refuseCharsets(contentType: string): void {
  if (!/charset/i.test(contentType)) return;
  const charset = charsetOf(contentType);
  if (charset === undefined || charsets.includes(charset.toLowerCase())) return;
  const message = 'Send the body in UTF-8: this service takes no other charset.';
  throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', message);
}

function charsetOf(contentType: string): string | undefined {
  try {
    return new MIMEType(contentType).params.get('charset') ?? undefined;
  } catch {
    // The framework has parsed the type itself and chosen the parser by it.
    return undefined;
  }
}

/** Reads JSON with the framework's parser, which refuses names of fields that reach for an object's prototype. */
function jsonReader(app: FastifyInstance): (request: FastifyRequest) => Read {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request) => (written) => {
    const text = plainKeysOf(written);
    if (hasMoreNames(text, namesMax)) throw invalidInput([{ path: 'body', message: tooManyNames }]);
    let outcome: { error: Error | null; value: unknown } | undefined;
    parse(request, text, (error, value) => {
      outcome = { error, value };
    });
    if (!outcome?.error) return outcome?.value;
    if (isJson(text)) throw invalidInput([{ path: 'body', message: reachesPrototype }]);
    throw new Problem(400, 'INVALID_JSON', notJson, { cause: outcome.error });
  };
}

/** Returns a body with keys that need no escape, or refuses it. */
function plainKeysOf(text: string): string {
  try {
    return withPlainKeys(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const isRefused = error.message === escapedKey;
    const message = isRefused ? `The body is refused: ${escapedKey}.` : notJson;
    throw new Problem(400, 'INVALID_JSON', message, { cause: error });
  }
}

const notJson = 'The body is not valid JSON.';

/** Names of fields in a JSON body: 90,000 of them, a megabyte, took 0.15 s; the largest policy has fewer. */
const namesMax = 50_000;
const tooManyNames = `must not have more than ${namesMax} fields`;

/** Counts the colons after a quotation mark, before the text is parsed. */
function hasMoreNames(text: string, max: number): boolean {
  if (text.length < 5 * max) return false;
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0 && count <= max; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (isBlank(text.charCodeAt(before))) before -= 1;
    if (text[before] === '"') count += 1;
  }
  return count > max;
}

/** Reports whether a code unit is white space of JSON (RFC 8259, §2). */
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

const reachesPrototype = 'has a field "__proto__" or "constructor.prototype", names that no field may have';

/** Reports whether a text is JSON; a byte order mark may be ignored (RFC 8259, §8.1). */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** Fields of a form. The largest form of the service has about twenty. */
const formFieldsMax = 100;

/** Reads a form in one pass. A repeated field becomes a list, which no schema of a string accepts. */
export function readForm(text: string): Record<string, string | string[]> {
  if (hasMoreFields(text, formFieldsMax)) throw invalidInput([{ path: 'body', message: tooManyFields }]);
  if (!isUtf8Encoded(text)) throw new Problem(400, 'INVALID_INPUT', notUtf8);
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (typeof before === 'string') fields.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(fields);
}

const tooManyFields = `must not have more than ${formFieldsMax} fields`;

function hasMoreFields(text: string, max: number): boolean {
  let count = 1;
  for (let at = text.indexOf('&'); at >= 0 && count <= max; at = text.indexOf('&', at + 1)) count += 1;
  return count > max;
}
