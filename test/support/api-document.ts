import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const reference = /^#\/components\/schemas\/(\w+)$/;

/** `docs/openapi.json` with every shared schema in the places that refer to it. */
export function readApiDocument<D>(): D {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const { schemas } = document.components;
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== 'object' || value === null) return value;
    const [, name] = reference.exec(Reflect.get(value, '$ref') ?? '') ?? [];
    if (name !== undefined) return resolved(schemas[name]);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
  };
  return resolved(document) as D;
}
