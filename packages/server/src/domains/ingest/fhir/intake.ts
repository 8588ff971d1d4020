import {
  children,
  compactJson,
  type FullUrls,
  findJsonError,
  type Identity,
  InputError,
  identify,
  isObject,
  isPatch,
  isPutElsewhere,
  type JsonObject,
  mapResource,
  patientOf,
  type Reading,
  readDeletion,
  replaceUnstorable,
  type Target,
  takenTypes,
} from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';
import type { Stretch } from './row-file.ts';
import { SeenUrls } from './seen-urls.ts';
import { type DocumentText, dataLengthMax, type SliceRows } from './slice-rows.ts';

/** Where a text stands in the source. `entry` is the number of an entry in its Bundle, or of an element in its list. */
export interface Place {
  line: number;
  column: number;
  entry?: number | undefined;
}

/** The Bundle of an entry that comes by itself. */
export interface BundleOfEntry {
  /** Among the objects of the source. */
  number: number;
  /** Whether it lists the newest versions first. */
  isHistory: boolean;
}

export interface IntakeOptions {
  skipBroken: boolean;
  /** Full URLs of the source whose text does not say what they name, as far as they are known. */
  fullUrls: FullUrls;
  /** Whether the source is known to hold several Bundles. */
  hasSeveralBundles: boolean;
}

const countedTypesMax = 100;
const bundleDepthMax = 8;

/** The gate: reads resources one by one, refuses what is none, and hands on the rows of the others. */
export class Intake {
  readonly #rows: SliceRows;
  readonly #report: Pick<Reporter, 'warn'>;
  readonly #options: IntakeOptions;
  /** Full URLs seen so far whose text does not say what they name. */
  readonly fullUrls = new Map<string, Target>();
  /** Counts of resources that have no table, by type. */
  readonly otherTypes = new Map<string, number>();
  readonly #reading: Reading;
  readonly #seenUrls: SeenUrls;
  /** Paths of the present resource that were warned of, and its place. */
  readonly #unreadable = new Set<string>();
  /** Whether all texts of the present text are of printable ASCII. JSON without escapes has no control characters. */
  #isPlain = false;
  #place: Place = { line: 1, column: 1 };
  /** Resources read, of whatever type. */
  resources = 0;

  constructor(rows: SliceRows, report: Pick<Reporter, 'warn'>, options: IntakeOptions) {
    this.#rows = rows;
    this.#report = report;
    this.#options = options;
    this.#seenUrls = new SeenUrls(options.fullUrls, options.hasSeveralBundles);
    this.#reading = {
      resourceType: '',
      fullUrls: this.#seenUrls,
      unreadable: (path, expected) => this.#warnUnreadable(path, expected),
    };
  }

  /** References whose full URL names several resources of the source. */
  get severalCount(): number {
    return this.#seenUrls.severalCount;
  }

  /** Takes the JSON text of a resource, or of a Bundle with its entries. `written`: where the text stands as UTF-8. */
  take(raw: string, isAscii: boolean, place: Place, written?: Stretch): void {
    this.#seenUrls.bundle = undefined;
    this.#isPlain = isAscii && !raw.includes('\\');
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    if (text !== raw) this.#warn(place, 'characters that no text can hold were replaced by U+FFFD');
    const resource = this.#parse(text, place);
    if (resource === undefined) return;
    const compact = compactJson(text);
    const document = this.#documentOf(compact, compact === raw ? written : undefined);
    if (resource['resourceType'] === 'Bundle') this.#takeBundle(resource, compact, place);
    else this.#takeResource(resource, document, place, undefined, false);
  }

  /** Takes the JSON text of an entry of the given Bundle. */
  takeEntry(raw: string, isAscii: boolean, place: Place, { number, isHistory }: BundleOfEntry): void {
    this.#seenUrls.bundle = number;
    this.#isPlain = isAscii && !raw.includes('\\');
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    const entry = this.#parse(text, place);
    if (entry !== undefined) this.#takeEntry(entry, compactJson(text), place, isHistory);
  }

  /** Takes a resource that is no Bundle, and whose text is compact and without escapes. */
  takeRead(resource: JsonObject, isAscii: boolean, place: Place, written: Stretch): void {
    this.#seenUrls.bundle = undefined;
    const length = written.end - written.start;
    const document = { content: written, length, isPlain: isAscii };
    this.#takeResource(resource, document, place, undefined, false);
  }

  #documentOf(text: string, written?: Stretch): DocumentText {
    return { content: written ?? text, length: text.length, isPlain: this.#isPlain };
  }

  #takeBundle(bundle: JsonObject, text: string, place: Place, depth = 1): void {
    if (depth > bundleDepthMax) {
      this.refuse(place, `more than ${bundleDepthMax} Bundles lie in each other`);
      return;
    }
    const member = children(text, 0).findLast(({ key }) => key === 'entry');
    if (!member) return;
    const entries = bundle['entry'];
    if (!Array.isArray(entries)) {
      this.refuse(place, '"entry" of a Bundle is not a list');
      return;
    }
    const isHistory = bundle['type'] === 'history';
    this.#seenUrls.within(entries, () => {
      for (const [index, { start, end }] of children(text, member.start).entries()) {
        const entry = entries[index];
        const at = { ...place, entry: index + 1 };
        if (isObject(entry)) this.#takeEntry(entry, text.slice(start, end), at, isHistory, depth);
        else this.refuse(at, 'it is not an object');
      }
    });
  }

  /** `text` is compact. A history lists the newest version first (R4 §3.1.0.11); elsewhere what comes later is newer. */
  #takeEntry(entry: JsonObject, text: string, place: Place, isHistory: boolean, depth = 1): void {
    const removed = readDeletion(entry, isHistory);
    if (removed === 'unknown') {
      this.#warn(place, 'it deletes, but does not say by type and id what; it was left out');
      return;
    }
    if (removed) {
      this.#takeDeletion(removed, isHistory);
      return;
    }
    if (isPatch(entry)) {
      this.#warn(place, 'it changes a part of a resource (PATCH), which is not done; it was left out');
      return;
    }
    const resource = entry['resource'];
    if (resource === undefined || resource === null) return;
    const member = children(text, 0).findLast(({ key }) => key === 'resource');
    if (!isObject(resource) || !member) {
      this.refuse(place, '"resource" is not an object');
      return;
    }
    const inner = text.slice(member.start, member.end);
    if (resource['resourceType'] === 'Bundle') this.#takeBundle(resource, inner, place, depth + 1);
    else this.#takeResource(resource, this.#documentOf(inner), place, entry, isHistory);
  }

  #takeDeletion(identity: Identity, backwards: boolean): void {
    if (!takenTypes.has(identity.type)) return;
    this.resources += 1;
    const document = this.#documentOf('');
    this.#rows.begin({ identity, patientId: undefined, document, number: this.resources });
    this.#rows.note({ deleted: true, decisive: identity.lastUpdated === undefined, backwards });
  }

  #takeResource(
    resource: JsonObject,
    document: DocumentText,
    place: Place,
    entry: JsonObject | undefined,
    backwards: boolean,
  ): void {
    const identity = identify(resource, entry);
    if (typeof identity === 'string') {
      this.refuse(place, identity);
      return;
    }
    this.resources += 1;
    const fullUrl = entry?.['fullUrl'];
    if (typeof fullUrl === 'string') this.#seenUrls.note(this.fullUrls, fullUrl, identity);
    if (!takenTypes.has(identity.type)) {
      this.#countOther(identity.type);
      return;
    }
    if (entry && isPutElsewhere(entry, identity))
      this.#warn(place, 'its "id" is another one than that of its URL (PUT); it was taken by its "id"');
    const reading = this.#readingOf(identity, place);
    const patientId = patientOf(resource, identity, reading);
    if (document.length > dataLengthMax)
      this.#warn(place, `a ${identity.type} is too large for the column "data"`);
    this.#rows.begin({ identity, patientId, document, number: this.resources });
    this.#rows.note({ deleted: false, decisive: false, backwards });
    mapResource(resource, identity, patientId, reading, this.#rows);
  }

  /** How the present resource is read. One object for all, since it is needed for each. */
  #readingOf(identity: Identity, place: Place): Reading {
    this.#reading.resourceType = identity.type;
    this.#place = place;
    this.#unreadable.clear();
    return this.#reading;
  }

  #warnUnreadable(path: string, expected: string): void {
    if (this.#unreadable.has(path)) return;
    this.#unreadable.add(path);
    this.#warn(this.#place, `${this.#reading.resourceType}.${path} is not ${expected}; it was left out`);
  }

  #countOther(type: string): void {
    const known = this.otherTypes.has(type) || this.otherTypes.size < countedTypesMax;
    const name = known ? type : 'other types';
    this.otherTypes.set(name, (this.otherTypes.get(name) ?? 0) + 1);
  }

  #parse(text: string, place: Place): JsonObject | undefined {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const found = findJsonError(text) ?? { offset: 0, reason: 'the text cannot be read' };
      this.refuse(advance(place, text, found.offset), `it is no valid JSON: ${found.reason}`);
      return undefined;
    }
    if (isObject(value)) return value;
    this.refuse(place, 'it is not a JSON object');
    return undefined;
  }

  /** Ends the ingestion, or counts what is left out. */
  refuse(place: Place, reason: string): void {
    if (this.#options.skipBroken) {
      this.#warn(place, `left out: ${reason}`);
      return;
    }
    const where =
      place.entry === undefined ? `line ${place.line}` : `entry ${place.entry} (line ${place.line})`;
    throw new InputError(`The resource in ${where} cannot be read: ${reason}.`, {
      line: place.line,
      column: place.column,
    });
  }

  #warn(place: Place, message: string): void {
    const entry = place.entry === undefined ? '' : `entry ${place.entry}: `;
    this.#report.warn({ line: place.line, message: entry + message });
  }
}

function advance(place: Place, text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  if (lineStart === 0) return { ...place, column: place.column + offset };
  const lines = before.split('\n').length - 1;
  return { ...place, line: place.line + lines, column: offset - lineStart + 1 };
}
