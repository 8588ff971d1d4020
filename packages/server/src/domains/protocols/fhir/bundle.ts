import { outcomeOf } from './outcome.ts';
import type { Search } from './search.ts';

/** Lists what a Bundle lacks: parameters that do not count, resources that are not of R4. */
export function notes({ type, ignored }: Pick<Search, 'type' | 'ignored'>, leftOut: number): string[] {
  const texts = ignored.map((name) => `${name} is no search parameter of ${type}, and was ignored.`);
  if (leftOut > 0)
    texts.push(
      `Resources without the form of FHIR R4 that match, and are left out here: ${leftOut}. Read them by their ids.`,
    );
  return texts.map(
    (text) =>
      `{"resource":${JSON.stringify(outcomeOf('warning', 'not-supported', text))},"search":{"mode":"outcome"}}`,
  );
}

/** Writes a Bundle around entries, which are texts. */
export function bundle({
  type = 'searchset',
  self,
  next,
  total,
  entries,
}: {
  type?: 'searchset' | 'history';
  self: string;
  next?: string | undefined;
  total: number | undefined;
  entries: string[];
}): string {
  const head = {
    resourceType: 'Bundle',
    type,
    ...(total !== undefined && { total }),
    link: [{ relation: 'self', url: self }, ...(next === undefined ? [] : [{ relation: 'next', url: next }])],
  };
  const text = JSON.stringify(head);
  // FHIR has no empty lists.
  return entries.length === 0 ? text : `${text.slice(0, -1)},"entry":[${entries.join(',')}]}`;
}
