import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const reference = /^#\/components\/(schemas|responses)\/(\w+)$/;

/** Returns `docs/openapi.json` with every shared part in the places that refer to it. */
export function readApiDocument<D>(): D {
  return withoutReferences(JSON.parse(readFileSync(file, 'utf8'))) as D;
}

/** Puts shared schemas and answers of an API document in the places that refer to them; a schema within itself allows anything there. */
// biome-ignore lint/suspicious/noExplicitAny: a document of every shape
export function withoutReferences(document: any): any {
  const resolved = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part) => resolved(part, within));
    if (typeof value !== 'object' || value === null) return value;
    const [, kind, name = ''] = reference.exec(Reflect.get(value, '$ref') ?? '') ?? [];
    if (kind !== undefined)
      return within.includes(name) ? {} : resolved(document.components[kind][name], [...within, name]);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part, within)]));
  };
  return resolved(document, []);
}
