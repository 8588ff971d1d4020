import type { FastifyInstance } from 'fastify';

/**
 * References of answers to the service itself (RFC 3986, §4.2): handlers write them from its root, as `/v1/projects`. Where the service
 * has a path on its host, they get it here, and nowhere else: in headers, in attributes of pages, and in fields of JSON whose schema
 * has the format `uri-reference`.
 */

/** Headers that hold one reference. */
const headers = ['location', 'content-location'] as const;

/** Attributes of our pages that hold one reference; text of people has no bare quotes there. */
const attributes = /(\s(?:href|action|src)=")(?=\/(?!\/))/g;

const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/') && !value.startsWith('//');

/** Puts the path before references in headers and pages. */
export function addPublicPath(app: FastifyInstance, path: string): void {
  if (path === '') return;
  app.addHook('onSend', async (_request, reply, payload) => {
    for (const name of headers) {
      const value = reply.getHeader(name);
      if (isReference(value)) reply.header(name, path + value);
    }
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
    return isPage && typeof payload === 'string' ? payload.replace(attributes, `$1${path}`) : payload;
  });
}

interface Schema {
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** Returns a function that puts the path before the references of a value; nothing where its schema has none. */
export function referencesIn(
  { format, properties = {}, items }: Schema,
  path: string,
): ((value: unknown) => unknown) | undefined {
  if (path === '') return undefined;
  if (format === 'uri-reference') return (value) => (isReference(value) ? path + value : value);
  const each = items && referencesIn(items, path);
  if (each) return (value) => (Array.isArray(value) ? value.map(each) : value);
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const change = referencesIn(schema, path);
    return change ? [{ name, change }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const changed: Record<string, unknown> = { ...value };
    for (const { name, change } of fields) if (name in changed) changed[name] = change(changed[name]);
    return changed;
  };
}
