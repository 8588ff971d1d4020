import type { TSchema } from 'typebox';
import type { Route } from '../../packages/server/src/route.ts';

/** What a hostile client puts where a value belongs: JSON values. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  '\u{1d160}'.repeat(255),
  "'; DROP TABLE projects; --",
  '%00',
  '../../etc/passwd',
  '__proto__',
  'x'.repeat(5000),
  [],
  ['a', 'b'],
  {},
  { $ne: null },
  nested(200),
];

/** The same for a query: texts as they stand in an address. */
export const hostileParameters: readonly string[] = [
  '',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%C0%AE',
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'true',
  'null',
  '[]',
  '%7B%7D',
  '%25',
  '%5C',
  '_',
  "'%20OR%201=1",
  '%F0%9D%85%A0'.repeat(200),
  'x'.repeat(3000),
];

/** The named fields of a part of a route. */
export function fieldsOf(schema: TSchema | undefined): string[] {
  return Object.keys(Reflect.get(schema ?? {}, 'properties') ?? {});
}

/** Addresses of a route with one hostile value each, in its path and in its query. */
export function hostileAddresses(route: Route, path: string, pattern: string): string[] {
  const [plain = '', query = ''] = path.split('?');
  const parts = plain.split('/');
  const inPath = pattern
    .split('/')
    .flatMap((part, at) =>
      part.startsWith(':')
        ? hostileParameters.map((value) => `${parts.with(at, value).join('/')}?${query}`)
        : [],
    );
  const inQuery = fieldsOf(route.query).flatMap((name) => {
    const others = new URLSearchParams(query);
    others.delete(name);
    const values = hostileParameters.map((value) => `${name}=${value}`);
    const spellings = [...values, `${name}=a&${name}=b`, `${name}[]=a`, `${name}[a]=b`, name];
    return spellings.map((text) => `${plain}?${others}&${text}`);
  });
  return [...inPath, ...inQuery];
}

/** Bodies of a route with one hostile value each. */
export function hostileBodies(route: Route, body: object): object[] {
  return fieldsOf(route.body).flatMap((name) => hostileValues.map((value) => ({ ...body, [name]: value })));
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
