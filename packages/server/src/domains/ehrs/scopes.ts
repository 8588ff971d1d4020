import { type JsonObject, type JsonValue, takenTypes } from '@ploidy/formats/fhir';

/** How SMART App Launch writes what reads and searches: in its first version and in its second. */
type Right = 'read' | 'rs';

/** Asked for at last: what the client has there anyway (RFC 6749 §3.3). */
export const withoutScope = '';

/**
 * Scopes to ask a system for, each in turn until one is given. Everything first, as the system lists it, then in either version: a
 * list need not be whole (SMART App Launch 2.2, "scopes_supported"). Then the types that it lists and that we take, of each version
 * by themselves, as few systems know both in one request; then nothing: a client may have less than the system knows.
 */
export function scopesToAsk({ scopes_supported: listed, capabilities }: JsonObject): string[] {
  const offered = textsOf(listed);
  const can = textsOf(capabilities);
  const isSecondOnly = can.includes('permission-v2') && !can.includes('permission-v1');
  const guesses: Right[] = isSecondOnly ? ['rs', 'read'] : ['read', 'rs'];
  const everything = [...rightsOf('*', offered), ...guesses].map((right) => scopeOf('*', right));
  const some = (['rs', 'read'] as const)
    .map((right) =>
      [...takenTypes]
        .filter((type) => rightsOf(type, offered).includes(right))
        .map((type) => scopeOf(type, right)),
    )
    .filter(({ length }) => length > 0)
    .sort((a, b) => b.length - a.length);
  return [...new Set([...everything, ...some.map((scopes) => scopes.join(' ')), withoutScope])];
}

/**
 * The types that a given scope does not let read and search. None where it names nothing of SMART's: the system then goes by
 * something else. Of a part of a type (`?category=…`) the type counts as given.
 */
export function typesBeyond(scope: string, types: readonly string[]): string[] {
  const given = scope.split(' ').map((one) => one.replace(/\?.*$/, ''));
  if (!given.some((one) => one.startsWith('system/')) || rightsOf('*', given).length > 0) return [];
  return types.filter((type) => rightsOf(type, given).length === 0);
}

const scopeOf = (type: string, right: Right): string => `system/${type}.${right}`;

/** What of the scopes that are offered reads and searches the type, alone or as a part of one. */
function rightsOf(type: string, offered: string[]): Right[] {
  const begins = `system/${type}.`;
  const rights = offered.filter((one) => one.startsWith(begins)).map((one) => one.slice(begins.length));
  const letters = rights.filter((right) => /^c?r?u?d?s?$/.test(right)).join('');
  return [
    ...(letters.includes('r') && letters.includes('s') ? (['rs'] as const) : []),
    ...(rights.some((right) => right === 'read' || right === '*') ? (['read'] as const) : []),
  ];
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
