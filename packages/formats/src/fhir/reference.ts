/** References (R4 §2.3), reduced to the type and id of their resource in the lake. */

export interface Target {
  /** Undefined for `urn:` references whose resource is not in the same file. */
  type: string | undefined;
  id: string;
}

/** Full URLs of Bundle entries that do not contain the type and id of their resource. */
export interface FullUrls extends Pick<ReadonlyMap<string, Target>, 'get' | 'size'> {
  /** Prefix of every id of a reference. */
  idPrefix?: string;
  /** Set within a Bundle: a UUID in capitals without a full URL of its own equals the one in small letters. */
  isOfBundle?: boolean;
}

/** Target of a full URL that names several resources: no column accepts its type. */
const several: Target = { type: '', id: '' };

const lengthMax = 2048;
const literal =
  /^(?:https?:\/\/[^?#\s]*\/)?([A-Z][A-Za-z]{1,63})\/([\w.:-]{1,255})(?:\/_history\/[\w.:-]{1,255})?$/;
const urn = /^urn:(?:uuid|oid):([\w.:-]{1,255})$/;
const id = /^[\w.:-]{1,255}$/;

/**
 * Returns whether a text may be the id of a resource. R4 §2.24.0.1 allows 64 letters, digits, `-` and `.`; real servers send more (Epic: 70) and `_` or
 * `:` (hapi-fhir#6846).
 */
export function isId(text: string): boolean {
  return id.test(text);
}

/** Normalizes full URLs for comparison: the digits of a UUID count in any case (RFC 9562 §4). */
export function fullUrlKey(url: string): string {
  return url.startsWith('urn:uuid:') ? url.toLowerCase() : url;
}

/**
 * Notes the resource of a full URL. A URL of two resources names neither: a row of another patient is worse than one without a
 * patient.
 */
export function noteFullUrl(urls: Map<string, Target>, url: string, target: Target): void {
  const key = fullUrlKey(url);
  const known = urls.get(key);
  const isOther = known !== undefined && (known.type !== target.type || known.id !== target.id);
  urls.set(key, isOther ? several : target);
}

/** Returns whether a target represents several resources of one full URL. */
export function isSeveral({ type }: Target): boolean {
  return type === several.type;
}

/**
 * Reads `Type/id`, absolute URLs (versions are dropped), and `urn:uuid:`/`urn:oid:`. Contained (`#…`), conditional
 * (`Type?…`) and unreadable references point at no row of the lake: undefined.
 */
export function readReference(text: string, fullUrls: FullUrls): Target | undefined {
  if (text.length > lengthMax) return undefined;
  const known = fullUrls.size === 0 ? undefined : fullUrls.get(fullUrlKey(text));
  if (known) return known;
  const { idPrefix = '' } = fullUrls;
  const match = literal.exec(text);
  if (match) return { type: match[1], id: `${idPrefix}${match[2]}` };
  const name = urn.exec(fullUrls.isOfBundle ? fullUrlKey(text) : text);
  return name ? { type: undefined, id: `${idPrefix}${name[1]}` } : undefined;
}

const absolute =
  /^(https?:\/\/[^?#\s]+)\/[A-Z][A-Za-z]{1,63}\/[\w.:-]{1,255}(?:\/_history\/[\w.:-]{1,255})?$/;

/** Returns the base address of the server in a full URL; undefined for `urn:` and other text. Ids are unique on one server only. */
export function serverOf(fullUrl: string): string | undefined {
  const base = fullUrl.length > lengthMax ? undefined : absolute.exec(fullUrl)?.[1];
  return base === undefined || !URL.canParse(base)
    ? undefined
    : new URL(base).href.replace(/(?<!\/)\/+$/, '');
}
