/** References (R4 §2.3): what they point at, reduced to a resource type and an id of the lake. */

export interface Target {
  /** Undefined for `urn:` references whose resource is not in the same file. */
  type: string | undefined;
  id: string;
}

/** Full URLs of Bundle entries that say less of their resource, or something else, than its type and id do. */
export type FullUrls = Pick<ReadonlyMap<string, Target>, 'get' | 'size'>;

/** What a full URL points at that names several resources: no column takes this type. */
const several: Target = { type: '', id: '' };

const lengthMax = 2048;
const literal =
  /^(?:https?:\/\/[^?#\s]*\/)?([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;
const urn = /^urn:(?:uuid|oid):([A-Za-z0-9.-]{1,64})$/;
const id = /^[A-Za-z0-9.-]{1,64}$/;

/** Whether a text may be the id of a resource (R4 §2.24.0.1: letters, digits, `-`, `.`, at most 64). */
export function isId(text: string): boolean {
  return id.test(text);
}

/** Notes what a full URL names. What names two resources names neither: a row of another patient is worse than one of nobody. */
export function noteFullUrl(urls: Map<string, Target>, url: string, target: Target): void {
  const known = urls.get(url);
  const isOther = known !== undefined && (known.type !== target.type || known.id !== target.id);
  urls.set(url, isOther ? several : target);
}

/** Whether a target is what a full URL points at that names several resources. */
export function isSeveral({ type }: Target): boolean {
  return type === several.type;
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
