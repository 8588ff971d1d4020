import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidInput, Problem } from '../problem.ts';
import { isUtf8Encoded } from '../utf8-encoded.ts';
import { wrongMediaType } from './problems.ts';
import { reachForPrototype } from './prototype-fields.ts';

const formType = 'application/x-www-form-urlencoded';

/** Reads a body that is not empty, from its text. */
type Read = (text: string) => unknown;

/**
 * How bodies become values. One that is empty is no body, whatever its headers say of it (docs/clarifications.md, "Requests").
 * They are taken as bytes, because a decoder puts U+FFFD in the place of what is no UTF-8, and that would be stored.
 */
export function acceptBodies(app: FastifyInstance): void {
  const bytes = { parseAs: 'buffer' } as const;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (request.routeOptions.config.formBody) return done(wrongMediaType(true));
    return answer(done, () => withoutNull(request, read(request, body, readJson, 'INVALID_JSON')));
  });
  app.addContentTypeParser(formType, bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!request.routeOptions.config.formBody) return done(wrongMediaType(false));
    return answer(done, () => read(request, body, readForm, 'INVALID_INPUT'));
  });
  app.addContentTypeParser('*', bytes, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    return done(wrongMediaType(request.routeOptions.config.formBody));
  });
}

type Done = (error: Error | null, body?: unknown) => void;

/** What the work gives, or throws. `done` stands outside: whatever follows on it fails by itself. */
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

function read({ headers }: FastifyRequest, body: Buffer, parse: Read, code: string): unknown {
  refuseEncodings(headers['content-encoding']);
  refuseCharsets(headers['content-type'] ?? '');
  if (!isUtf8(body)) throw new Problem(400, code, notUtf8);
  return parse(body.toString());
}

/** The framework validates `null` as no body at all. In a change it may be meant to clear something (`http/not-sent.ts`). */
function withoutNull({ method, routeOptions }: FastifyRequest, value: unknown): unknown {
  if (value !== null || method === 'POST' || !routeOptions.schema?.body) return value;
  throw invalidInput([{ path: 'body', message: 'must be an object' }]);
}

const notUtf8 = 'The body is not UTF-8: send its text in UTF-8.';

/** RFC 9110, §8.4 and §15.5.16: a 415 for a content coding says which ones are taken. */
function refuseEncodings(header: string | undefined): void {
  if (header === undefined || /^(?:identity)?$/i.test(header.trim())) return;
  const message = 'Send the body as it is: this service takes none with a Content-Encoding.';
  throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'accept-encoding': 'identity' } });
}

/** UTF-8 by its names, and what is a part of it. */
const charsets = ['utf-8', 'utf8', 'us-ascii'];

/** RFC 8259, §8.1: JSON travels in UTF-8. A parameter that says something else tells of other bytes. */
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
    // The framework has read the type itself, and knows the parser by it.
    return undefined;
  }
}

function readJson(text: string): unknown {
  let value: unknown;
  try {
    // A byte order mark is no JSON, and may be ignored (RFC 8259, §8.1).
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    throw new Problem(400, 'INVALID_JSON', 'The body is not valid JSON.', { cause: error });
  }
  const path = reachForPrototype(text, value);
  if (path !== undefined)
    throw invalidInput([{ path: `body${path}`, message: 'is a name that no field may have' }]);
  return value;
}

/** A field that is given more than once is a list of its values: no schema that wants a text takes it. */
function readForm(text: string): Record<string, string | string[]> {
  if (!isUtf8Encoded(text)) throw new Problem(400, 'INVALID_INPUT', notUtf8);
  const form = new URLSearchParams(text);
  const entries = [...new Set(form.keys())].map((name) => {
    const values = form.getAll(name);
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}
