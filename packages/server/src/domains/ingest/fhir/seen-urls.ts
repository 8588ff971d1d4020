import {
  type FullUrls,
  type Identity,
  identify,
  isId,
  isObject,
  isSeveral,
  type JsonObject,
  type JsonValue,
  noteFullUrl,
  readReference,
  type Target,
} from '@ploidy/formats';

/** Types whose ids stand in columns. A column that takes one of them takes it for that type when only its id is known. */
const columnTypes = new Set(['Patient', 'Encounter', 'Specimen', 'Medication']);
/** What may stand in their place: a subject or a context of another type has to be known as such (R4: Observation.subject, STU3: context). */
const otherTypes = new Set(['Device', 'EpisodeOfCare', 'Group', 'Location', 'Substance']);
const lengthMax = 2048;
const noUrls: FullUrls = new Map();

/**
 * The full URLs by which a resource can refer to others: those of the Bundles that it stands in, the inner before the outer (R4 §2.36.4), then
 * those of the whole source.
 */
export class SeenUrls implements FullUrls {
  /** The Bundle whose entries come one by one, by its number in the source. */
  bundle: number | undefined;
  /** References so far whose full URL names several resources of the source, and none of the Bundle that they stand in. */
  severalCount = 0;
  readonly #ofSource: FullUrls;
  /** Whether there are other Bundles, so that it counts which one names what. */
  readonly #isOneOfSeveral: boolean;
  readonly #ofBundles: ReadonlyMap<string, Target>[] = [];

  constructor(ofSource: FullUrls, isOneOfSeveral: boolean) {
    this.#ofSource = ofSource;
    this.#isOneOfSeveral = isOneOfSeveral;
  }

  get size(): number {
    return this.#ofSource.size + this.#ofBundles.length;
  }

  get(url: string): Target | undefined {
    const own = this.#ofBundles.findLast((urls) => urls.has(url))?.get(url);
    const ofPiece = this.bundle === undefined ? undefined : this.#ofSource.get(this.#inBundle(url));
    const found = own ?? ofPiece ?? this.#ofSource.get(url);
    if (found && isSeveral(found)) this.severalCount += 1;
    return found;
  }

  /**
   * Notes in `urls` what a full URL names in the source. What it names in the present Bundle is kept apart once it is known that its text does
   * not say it everywhere: most URLs of most sources say it, and all of them would take much memory.
   */
  note(urls: Map<string, Target>, url: string, identity: Identity): void {
    if (isNews(url, identity)) noteFullUrl(urls, url, targetOf(identity));
    const known = this.#ofSource.get(url);
    if (known && this.#isPiece && (this.#isOneOfSeveral || isSeveral(known)))
      noteFullUrl(urls, this.#inBundle(url), targetOf(identity));
  }

  /** Does something in a Bundle with these entries. */
  within(entries: readonly JsonValue[], work: () => void): void {
    this.#ofBundles.push(fullUrlsOf(entries));
    work();
    this.#ofBundles.pop();
  }

  /** Whether the present resource stands in no other Bundle than the one that comes entry by entry. */
  get #isPiece(): boolean {
    return this.bundle !== undefined && this.#ofBundles.length === 0;
  }

  /** No URL has a blank. */
  #inBundle(url: string): string {
    return `${this.bundle} ${url}`;
  }
}

function fullUrlsOf(entries: readonly JsonValue[]): Map<string, Target> {
  const urls = new Map<string, Target>();
  for (const entry of entries) {
    if (!isObject(entry)) continue;
    const { fullUrl, resource } = entry as JsonObject;
    if (typeof fullUrl !== 'string' || !isObject(resource)) continue;
    const identity = identify(resource, entry);
    // Also what its text says: another Bundle may call something else so.
    if (typeof identity !== 'string') noteFullUrl(urls, fullUrl, targetOf(identity));
  }
  return urls;
}

/** Whether a full URL must be known to tell which resource it names: its text does not say so. */
function isNews(url: string, { type, id }: Identity): boolean {
  if (url.length > lengthMax || !isId(id) || !(columnTypes.has(type) || otherTypes.has(type))) return false;
  const said = readReference(url, noUrls);
  if (said?.id !== id) return true;
  return said.type === undefined ? otherTypes.has(type) : said.type !== type;
}

function targetOf({ type, id }: Identity): Target {
  return { type, id };
}
