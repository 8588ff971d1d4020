/** References (R4 §2.3): what they point at, reduced to a resource type and an id of the lake. */

export interface Target {
  /** Undefined for `urn:` references whose resource is not in the same file. */
  type: string | undefined;
  id: string;
}

/** Full URLs of Bundle entries whose resource has another id than the URL says. */
export type FullUrls = ReadonlyMap<string, Target>;

const lengthMax = 2048;
const literal =
  /^(?:https?:\/\/[^?#\s]*\/)?([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;
const urn = /^urn:(?:uuid|oid):([A-Za-z0-9.-]{1,64})$/;
const id = /^[A-Za-z0-9.-]{1,64}$/;

/** Whether a text may be the id of a resource (R4 §2.24.0.1: letters, digits, `-`, `.`, at most 64). */
export function isId(text: string): boolean {
  return id.test(text);
}

/**
 * Reads `Type/id`, absolute URLs (versions are dropped), and `urn:uuid:`/`urn:oid:`. Contained (`#…`), conditional
 * (`Type?…`) and unreadable references point at no row of the lake: undefined.
 */
export function readReference(text: string, fullUrls: FullUrls): Target | undefined {
  if (text.length > lengthMax) return undefined;
  const known = fullUrls.size === 0 ? undefined : fullUrls.get(text);
  if (known) return known;
  const match = literal.exec(text);
  if (match) return { type: match[1], id: match[2] ?? '' };
  const name = urn.exec(text);
  return name ? { type: undefined, id: name[1] ?? '' } : undefined;
}
