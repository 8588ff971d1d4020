import type { SearchParameter } from '@ploidy/formats/fhir-r4';
import type { Caller } from '../../../access/caller.ts';
import { type SmartScope, smartScopesIn } from '../../../access/smart-scopes.ts';
import { Problem } from '../../../base/problem.ts';
import { showsElement } from './masked-resources.ts';
import type { Linked, Search } from './search.ts';

/** Reports whether masked resources have an element that a parameter compares. */
const isShown = (type: string, { places, parts = [] }: SearchParameter): boolean =>
  places.some(({ steps: [first] }) =>
    first === undefined ? parts.every((part) => isShown(type, part)) : showsElement(type, first.name),
  );

/** Modifiers that compare words and identifiers, which are never shown. */
const ofWords = new Set(['text', 'of-type', 'identifier']);

/** Refuses searches for elements that masked resources never have: an empty answer would pass for one. */
export function requireShown({ type, criteria, sort, includes, reverseIncludes }: Search): void {
  const asked: { type: string; parameter: SearchParameter | undefined; modifier?: string | undefined }[] = [
    ...sort.map(({ parameter }) => ({ type, parameter })),
    ...[...includes, ...reverseIncludes].map(({ source, parameter }) => ({ type: source, parameter })),
  ];
  const open: Linked[] = criteria.map((criterion) => ({ type, criterion }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { parameter, modifier, chained, referring } = next.criterion;
    if (chained) open.push(chained);
    if (referring) open.push(referring);
    asked.push({ type: referring?.type ?? next.type, parameter, modifier });
  }
  for (const { type: of, parameter, modifier } of asked)
    if (parameter && (!isShown(of, parameter) || ofWords.has(modifier ?? ''))) {
      const what = modifier === undefined ? parameter.name : `${parameter.name}:${modifier}`;
      const message = `${what} of ${of} compares an element that no masked resource has. Leave it out.`;
      throw new Problem(403, 'FORBIDDEN', message);
    }
}

/** Refuses masked resources where counts below a minimum are withheld. Problem 403. */
export function requireSingleRows(countsMin: number): void {
  if (countsMin === 0) return;
  const message = 'Masked resources are shown one by one, and small counts are withheld. Ask SQL for counts.';
  throw new Problem(403, 'SMALL_COUNTS_ONLY', message);
}

/** Scopes of a credential that is no token of SMART. */
const everything: readonly SmartScope[] = [
  { level: 'user', type: '*', reads: true, searches: true, query: '' },
];

/** Returns the scopes that count for reads by id, or for searches. */
export function scopesOf({ resource, scope = '' }: Caller, isRead: boolean): readonly SmartScope[] {
  if (resource === undefined) return everything;
  return smartScopesIn(scope).filter(({ reads, searches }) => (isRead ? reads : searches));
}

/** Refuses types that are in no scope of a token. Problem 403. */
export function requireScope(caller: Caller, types: readonly string[], isRead: boolean): void {
  const scopes = scopesOf(caller, isRead);
  const missing = types.find((one) => !scopes.some(({ type }) => type === '*' || type === one));
  if (missing === undefined) return;
  const wanted = `user/${missing}.${isRead ? 'r' : 's'}`;
  throw new Problem(403, 'FORBIDDEN', `The token has no scope for this: ask for ${wanted}, or user/*.rs.`);
}
