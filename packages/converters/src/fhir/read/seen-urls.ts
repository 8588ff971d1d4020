import {
  type FullUrls,
  fullUrlKey,
  type Identity,
  identify,
  isObject,
  isSeveral,
  type JsonObject,
  type JsonValue,
  noteFullUrl,
  readReference,
  type Target,
} from '@ploidy/formats';

/** Types whose ids are columns. A bare id in such a column is read as an id of that type. */
const columnTypes = new Set(['Patient', 'Encounter', 'Specimen', 'Medication']);
/**
 * Types of subjects and contexts that are no column: a reference must be recognised as one of them (R4: Observation.subject, STU3:
 * context).
 */
const otherTypes = new Set(['Device', 'EpisodeOfCare', 'Group', 'Location', 'Substance']);
const lengthMax = 2048;

/**
 * Full URLs by which a resource can refer to others: those of the Bundles around it, the inner before the outer (R4 §2.36.4),
 * then those of the whole source.
 */
export class SeenUrls implements FullUrls {
  /** Prefix of all ids. */
  readonly idPrefix: string;
  /** Number of the Bundle whose entries are read one by one. */
  bundle: number | undefined;
  /** References so far whose full URL names several resources of the source, but not one of their own Bundle. */
  severalCount = 0;
  readonly #ofSource: FullUrls;
  /** Set if there are other Bundles, so that the Bundle of a full URL matters. */
  readonly #isOneOfSeveral: boolean;
  readonly #ofBundles: ReadonlyMap<string, Target>[] = [];

  constructor(ofSource: FullUrls, isOneOfSeveral: boolean, idPrefix: string) {
    this.idPrefix = idPrefix;
    this.#ofSource = ofSource;
    this.#isOneOfSeveral = isOneOfSeveral;
  }

  get size(): number {
    return this.#ofSource.size + this.#ofBundles.length;
  }

  get isOfBundle(): boolean {
    return this.bundle !== undefined || this.#ofBundles.length > 0;
  }

  get(url: string): Target | undefined {
    const own = this.#ofBundles.findLast((urls) => urls.has(url))?.get(url);
    const ofPiece = this.bundle === undefined ? undefined : this.#ofSource.get(this.#inBundle(url));
    const found = own ?? ofPiece ?? this.#ofSource.get(url);
    if (found && isSeveral(found)) this.severalCount += 1;
    return found;
  }

  /**
   * Notes the resource of a full URL of the source. Its resource within the current Bundle is kept separately once the URL is
   * known to have another one elsewhere. Most URLs of most sources name their resource, and keeping all of them would need much
   * memory.
   */
  note(urls: Map<string, Target>, fullUrl: string, identity: Identity): void {
    const url = fullUrlKey(fullUrl);
    if (this.#isNews(fullUrl, identity)) noteFullUrl(urls, url, targetOf(identity));
    const known = this.#ofSource.get(url);
    if (known && this.#isPiece && (this.#isOneOfSeveral || isSeveral(known)))
      noteFullUrl(urls, this.#inBundle(url), targetOf(identity));
  }

  /** Runs `work` within a Bundle with these entries. */
  within(entries: readonly JsonValue[], work: () => void): void {
    this.#ofBundles.push(this.#urlsOf(entries));
    work();
    this.#ofBundles.pop();
  }

  /** Returns whether the current resource is in no Bundle but the one that is read entry by entry. */
  get #isPiece(): boolean {
    return this.bundle !== undefined && this.#ofBundles.length === 0;
  }

  #urlsOf(entries: readonly JsonValue[]): Map<string, Target> {
    const urls = new Map<string, Target>();
    for (const entry of entries) {
      if (!isObject(entry)) continue;
      const { fullUrl, resource } = entry as JsonObject;
      if (typeof fullUrl !== 'string' || !isObject(resource)) continue;
      const identity = identify(resource, entry);
      if (typeof identity === 'string') continue;
      // The URL's own text is noted too: another Bundle may use it for something else.
      noteFullUrl(urls, fullUrl, targetOf({ ...identity, id: this.idPrefix + identity.id }));
    }
    return urls;
  }

  /** Returns whether a full URL must be kept because its text does not name its resource. */
  #isNews(url: string, { type, id }: Identity): boolean {
    if (url.length > lengthMax || id === '' || !(columnTypes.has(type) || otherTypes.has(type))) return false;
    if (url !== fullUrlKey(url)) return true;
    const stated = readReference(url, { get: () => undefined, size: 0, idPrefix: this.idPrefix });
    if (stated?.id !== id) return true;
    return stated.type === undefined ? otherTypes.has(type) : stated.type !== type;
  }

  /** Qualifies a URL by the current Bundle. URLs contain no blanks. */
  #inBundle(url: string): string {
    return `${this.bundle} ${url}`;
  }
}

function targetOf({ type, id }: Identity): Target {
  return { type, id };
}
