import { type JsonObject, type JsonValue, takenTypes } from '@ploidy/formats/fhir';

/** Right to read and search in SMART App Launch: version 1 and version 2. */
type Right = 'read' | 'rs';

/** Last attempt: the scope that the client has by default (RFC 6749 §3.3). */
export const withoutScope = '';

/**
 * Lists the scopes to request, one after another until one is granted. First everything, as the system lists
 * it, then in both versions, since lists may be incomplete (SMART App Launch 2.2, "scopes_supported"). Then
 * the supported types that it lists, by version, as few systems accept both in one request. Then none: a
 * client may have less than the system supports.
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
 * Lists the types that a granted scope does not permit to read and search. Empty if it names no SMART scope:
 * the system then uses other rules. Part of a type (`?category=…`) counts as the type.
 */
export function typesBeyond(scope: string, types: readonly string[]): string[] {
  const given = scope.split(' ').map((one) => one.replace(/\?.*/s, ''));
  if (!given.some((one) => one.startsWith('system/')) || rightsOf('*', given).length > 0) return [];
  return types.filter((type) => rightsOf(type, given).length === 0);
}

const scopeOf = (type: string, right: Right): string => `system/${type}.${right}`;

/** Returns the offered scopes that read and search the type, alone or combined. */
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
