import type { Reporter } from '@ploidy/engine';
import {
  bundleOf,
  children,
  compactJson,
  type ElementSink,
  type FullUrls,
  findJsonError,
  type Identity,
  InputError,
  identify,
  isObject,
  isPatch,
  isPhenopacket,
  isPutElsewhere,
  isSubset,
  type JsonObject,
  mapResource,
  modifierOf,
  parseJson,
  patientOf,
  readDeletion,
  readElements,
  replaceUnstorable,
  serverOf,
  type Target,
  takenTypes,
  versionOf,
} from '@ploidy/formats';
import { type DocumentText, dataLengthMax, type SliceRows } from '../rows/slice-rows.ts';
import { advance, type Place } from './place.ts';
import { ResourceReading } from './resource-reading.ts';
import { SeenUrls } from './seen-urls.ts';
import { SourceNotes, withoutResource } from './source-notes.ts';

/** Bundle of an entry that the splitter has extracted. */
export interface BundleOfEntry {
  /** Number among the objects of the source. */
  number: number;
  /** Set if it lists the newest versions first. */
  isHistory: boolean;
  /** Entries that were cut out before. */
  entries: number;
}

interface IntakeOptions {
  skipBroken: boolean;
  /** Known full URLs of the source that do not name their resource. */
  fullUrls: FullUrls;
  /** Set if the source is known to hold several Bundles. */
  hasSeveralBundles: boolean;
  /** Prefix of all ids. */
  idPrefix: string;
  /** Given source of all resources; undefined: the server of their full URLs. */
  source: string | undefined;
}

/** Counted servers: two are one too many. */
const serversMax = 3;
const bundleDepthMax = 8;
const nowhere: ElementSink = { coding: () => undefined, further: () => undefined };

/** Validates resources and emits their rows. */
export class Intake {
  readonly #rows: SliceRows;
  readonly #report: Pick<Reporter, 'warn'>;
  readonly #options: IntakeOptions;
  /** Full URLs so far that do not name their resource. */
  readonly fullUrls = new Map<string, Target>();
  /** Base addresses of the servers that resources with a table come from, by their full URLs. */
  readonly servers = new Set<string>();
  readonly #reading: ResourceReading;
  readonly #seenUrls: SeenUrls;
  readonly notes = new SourceNotes();
  /** Set if the current text is printable ASCII. JSON without escapes has no control characters. */
  #isPlain = false;
  /** Resources read, of whatever type. */
  resources = 0;

  constructor(rows: SliceRows, report: Pick<Reporter, 'warn'>, options: IntakeOptions) {
    this.#rows = rows;
    this.#report = report;
    this.#options = options;
    this.#seenUrls = new SeenUrls(options.fullUrls, options.hasSeveralBundles, options.idPrefix);
    const warn = (place: Place, message: string): void => this.#warn(place, message);
    this.#reading = new ResourceReading(this.#seenUrls, rows, this.notes, warn);
  }

  /** References whose full URL names several resources of the source. */
  get severalCount(): number {
    return this.#seenUrls.severalCount;
  }

  /** Takes the JSON text of a resource, or of a Bundle with its entries. */
  take(raw: string, isAscii: boolean, place: Place, entries = 0): void {
    this.#seenUrls.bundle = undefined;
    this.#isPlain = isAscii && !raw.includes('\\');
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    if (text !== raw) this.#warn(place, 'NUL and unpaired surrogates were replaced by U+FFFD');
    const resource = this.#parse(text, place);
    if (resource === undefined) return;
    if (isPhenopacket(resource)) {
      this.#takePhenopacket(resource, place);
      return;
    }
    const compact = compactJson(text);
    if (resource['resourceType'] === 'Bundle') this.#takeBundle(resource, compact, place, 1, entries);
    else this.#takeResource(resource, this.#documentOf(compact), place, undefined, false);
  }

  /** Adds the JSON text of an entry of the given Bundle. */
  takeEntry(raw: string, isAscii: boolean, place: Place, { number, isHistory }: BundleOfEntry): void {
    this.#seenUrls.bundle = number;
    this.#isPlain = isAscii && !raw.includes('\\');
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    const entry = this.#parse(text, place);
    if (entry !== undefined) this.#takeEntry(entry, compactJson(text), place, isHistory);
  }

  #takePhenopacket(document: JsonObject, place: Place): void {
    const isTooDeep = readElements(document, '', nowhere);
    const found = isTooDeep ? 'it is nested too deeply' : bundleOf(document);
    if (typeof found === 'string') {
      this.refuse(place, found);
      return;
    }
    for (const message of found.warnings) this.#warn(place, message);
    this.notes.subjects.push(...found.subjects);
    this.#takeBundle(found.bundle, JSON.stringify(found.bundle), place);
  }

  #documentOf(text: string): DocumentText {
    return { text, isPlain: this.#isPlain, isLeftOut: false };
  }

  #takeBundle(bundle: JsonObject, text: string, place: Place, depth = 1, cutOut = 0): void {
    if (depth > bundleDepthMax) {
      this.refuse(place, `Bundles are nested more than ${bundleDepthMax} levels deep`);
      return;
    }
    const listed = bundle['entry'];
    this.notes.addPage(bundle, place.line, cutOut + (Array.isArray(listed) ? listed.length : 0));
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

  /** Adds an entry with compact `text`. Histories list the newest version first (R4 §3.1.0.11), other Bundles last. */
  #takeEntry(entry: JsonObject, text: string, place: Place, isHistory: boolean, depth = 1): void {
    const removed = readDeletion(entry, isHistory);
    if (removed === 'unknown') {
      this.notes.leave('a DELETE without the type and id of a resource', place.line);
      this.#warn(place, 'it is a DELETE without the type and id of a resource; it was left out');
      return;
    }
    if (removed) {
      this.#takeDeletion(removed, isHistory);
      return;
    }
    if (isPatch(entry)) {
      this.notes.leave('a PATCH', place.line);
      this.#warn(place, 'it is a PATCH, which is not supported; it was left out');
      return;
    }
    const resource = entry['resource'];
    if (resource === undefined || resource === null) {
      this.notes.leave(withoutResource, place.line);
      return;
    }
    const member = children(text, 0).findLast(({ key }) => key === 'resource');
    if (!isObject(resource) || !member) {
      this.refuse(place, '"resource" is not an object');
      return;
    }
    const inner = text.slice(member.start, member.end);
    if (resource['resourceType'] === 'Bundle') this.#takeBundle(resource, inner, place, depth + 1);
    else this.#takeResource(resource, this.#documentOf(inner), place, entry, isHistory);
  }

  #takeDeletion(removed: Identity, backwards: boolean): void {
    const identity = this.#qualified(removed);
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
    const stated = identify(resource, entry);
    if (typeof stated === 'string') {
      this.refuse(place, stated);
      return;
    }
    const identity = this.#qualified(stated);
    this.resources += 1;
    const fullUrl = entry?.['fullUrl'];
    if (typeof fullUrl === 'string') this.#seenUrls.note(this.fullUrls, fullUrl, identity);
    if (identity.id === '') {
      this.notes.countType(identity.type);
      return;
    }
    const server = typeof fullUrl === 'string' ? serverOf(fullUrl) : undefined;
    // Definitions, such as ValueSets, have the URLs of their publishers.
    if (server !== undefined && takenTypes.has(identity.type) && this.servers.size < serversMax)
      this.servers.add(server);
    if (entry && isPutElsewhere(entry, stated))
      this.#warn(place, 'its "id" differs from the id in its URL (PUT); its "id" was used');
    const reading = this.#reading;
    reading.begin(identity.type, place, document.text);
    const patientId = patientOf(resource, identity, reading);
    const isTooLarge = document.text.length > dataLengthMax;
    this.#rows.begin({ identity, patientId, document, number: this.resources });
    this.#rows.note({ deleted: false, decisive: false, backwards });
    const modifier = modifierOf(resource, document.text, { patientId, fullUrls: this.#options.fullUrls });
    const isTooDeep = readElements(resource, identity.type, modifier === undefined ? reading : nowhere);
    document.isLeftOut = isTooLarge || isTooDeep;
    if (document.isLeftOut)
      this.#warn(
        place,
        `this ${identity.type} is ${isTooLarge ? 'too large' : 'nested too deeply'} for the column "data"`,
      );
    this.#rows.row('resource', [
      ...[patientId, identity.id, identity.type, this.#options.source ?? server],
      ...[versionOf(resource), identity.lastUpdated?.slice(0, 10)],
    ]);
    if (isSubset(resource))
      this.#warn(place, `this partial ${identity.type} (SUBSETTED) does not replace a complete one`);
    if (modifier === undefined) mapResource(resource, identity, patientId, reading, this.#rows);
    else this.#warn(place, `${modifier} may change its meaning: this ${identity.type} is only in resource`);
  }

  /** Identity in the lake. */
  #qualified(identity: Identity): Identity {
    const { idPrefix } = this.#options;
    return idPrefix === '' || identity.id === '' ? identity : { ...identity, id: idPrefix + identity.id };
  }

  #parse(text: string, place: Place): JsonObject | undefined {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const found = findJsonError(text) ?? { offset: 0, reason: error.message };
      this.refuse(advance(place, text, found.offset), `it is not valid JSON: ${found.reason}`);
      return undefined;
    }
    if (isObject(value)) return value;
    this.refuse(place, 'it is not a JSON object');
    return undefined;
  }

  /** Ends the ingestion, or counts the omitted resource. */
  refuse(place: Place, reason: string): void {
    if (this.#options.skipBroken) {
      this.notes.leave(reason, place.line);
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
