import {
  children,
  compactJson,
  type FullUrls,
  findJsonError,
  type Identity,
  InputError,
  identify,
  isId,
  isObject,
  type JsonObject,
  mapResource,
  patientOf,
  type Reading,
  readDeletion,
  readReference,
  replaceUnstorable,
  type Target,
  takenTypes,
} from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';
import { dataLengthMax, type Stage } from './stage.ts';

/** Where a text stands in the source. `entry` is the number of an entry in its Bundle, or of an element in its list. */
export interface Place {
  line: number;
  column: number;
  entry?: number | undefined;
}

export interface IntakeOptions {
  skipBroken: boolean;
  /** Full URLs that name resources by other ids than their own, as far as they are known. */
  fullUrls: FullUrls;
}

/** Types whose ids stand in columns: only they are looked up by full URL. */
const referredTypes = new Set(['Patient', 'Encounter', 'Specimen', 'Medication']);
const countedTypesMax = 100;
const bundleDepthMax = 8;
const noUrls: FullUrls = new Map();

/** The gate: reads resources one by one, refuses what is none, and hands the others to the stage. */
export class Intake {
  readonly #stage: Stage;
  readonly #report: Reporter;
  readonly #options: IntakeOptions;
  /** Full URLs seen so far that name a resource by another id than its own. */
  readonly fullUrls = new Map<string, Target>();
  readonly #otherTypes = new Map<string, number>();
  readonly #reading: Reading;
  /** Paths of the present resource that were warned of, and its place. */
  readonly #unreadable = new Set<string>();
  #place: Place = { line: 1, column: 1 };
  /** Resources read, of whatever type. */
  resources = 0;

  constructor(stage: Stage, report: Reporter, options: IntakeOptions) {
    this.#stage = stage;
    this.#report = report;
    this.#options = options;
    this.#reading = {
      resourceType: '',
      fullUrls: options.fullUrls,
      unreadable: (path, expected) => this.#warnUnreadable(path, expected),
    };
  }

  /** Takes the JSON text of a resource, or of a Bundle with its entries. */
  take(raw: string, place: Place): void {
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    if (text !== raw) this.#warn(place, 'characters that no text can hold were replaced by U+FFFD');
    const resource = this.#parse(text, place);
    if (resource === undefined) return;
    if (resource['resourceType'] === 'Bundle') this.#takeBundle(resource, compactJson(text), place);
    else this.#takeResource(resource, text, place, undefined, 1);
  }

  /** Takes the JSON text of an entry of the given Bundle. */
  takeEntry(raw: string, place: Place, bundle: JsonObject | undefined): void {
    const text = raw.includes('\\u') ? replaceUnstorable(raw) : raw;
    const entry = this.#parse(text, place);
    if (entry !== undefined) this.#takeEntry(entry, compactJson(text), place, bundle);
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
    for (const [index, { start, end }] of children(text, member.start).entries()) {
      const entry = entries[index];
      const at = { ...place, entry: index + 1 };
      if (isObject(entry)) this.#takeEntry(entry, text.slice(start, end), at, bundle, depth);
      else this.refuse(at, 'it is not an object');
    }
  }

  /** `text` is compact. */
  #takeEntry(entry: JsonObject, text: string, place: Place, bundle: JsonObject | undefined, depth = 1): void {
    // A history lists the newest version first (R4 §3.1.0.11); elsewhere what comes later is newer.
    const direction = bundle?.['type'] === 'history' ? -1 : 1;
    const removed = readDeletion(entry);
    if (removed === 'unknown') {
      this.#warn(place, 'it deletes, but does not say by type and id what; it was left out');
      return;
    }
    if (removed) {
      this.#takeDeletion(removed, direction);
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
    else this.#takeResource(resource, inner, place, entry['fullUrl'], direction);
  }

  #takeDeletion(identity: Identity, direction: number): void {
    if (!takenTypes.has(identity.type)) return;
    this.resources += 1;
    this.#stage.begin({ identity, patientId: undefined, text: '', ordinal: this.resources });
    const decisive = identity.lastUpdated === undefined;
    this.#stage.note({ deleted: true, decisive, rank: this.resources * direction });
  }

  #takeResource(resource: JsonObject, text: string, place: Place, fullUrl: unknown, direction: number): void {
    const identity = identify(resource, fullUrl);
    if (typeof identity === 'string') {
      this.refuse(place, identity);
      return;
    }
    this.resources += 1;
    if (!takenTypes.has(identity.type)) {
      this.#countOther(identity.type);
      return;
    }
    if (typeof fullUrl === 'string') this.#keepFullUrl(fullUrl, identity);
    const reading = this.#readingOf(identity, place);
    const patientId = patientOf(resource, identity, reading);
    if (text.length > dataLengthMax)
      this.#warn(place, `a ${identity.type} is too large for the column "data"`);
    this.#stage.begin({ identity, patientId, text: compactJson(text), ordinal: this.resources });
    this.#stage.note({ deleted: false, decisive: false, rank: this.resources * direction });
    mapResource(resource, identity, patientId, reading, this.#stage);
  }

  #keepFullUrl(url: string, identity: Identity): void {
    if (!referredTypes.has(identity.type) || readReference(url, noUrls)?.id === identity.id) return;
    if (url.length <= 2048 && isId(identity.id))
      this.fullUrls.set(url, { type: identity.type, id: identity.id });
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
    const known = this.#otherTypes.has(type) || this.#otherTypes.size < countedTypesMax;
    const name = known ? type : 'other types';
    this.#otherTypes.set(name, (this.#otherTypes.get(name) ?? 0) + 1);
  }

  /** Says which types were read but not taken. */
  warnOfOthers(): void {
    for (const [type, count] of this.#otherTypes) {
      this.#report.warn({
        message: `${type}: ${count} resources of a type that has no table were not taken`,
      });
    }
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
