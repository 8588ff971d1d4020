import type { JsonObject, JsonValue } from './json.ts';

/** One coding of a resource. */
export interface Coding {
  system: string | undefined;
  code: string | undefined;
  display: string | undefined;
  userSelected?: boolean | undefined;
  /** Number among the codings at its path in the resource, from 1. */
  rank?: number | undefined;
}

/** Takes what a resource holds at whatever place. Paths are those of FHIR, without the numbers of elements. */
export interface ElementSink {
  coding(path: string, coding: Coding): void;
  /** Elements of a list of which columns have one, and extensions of codings: how many are in none. */
  further(path: string, count: number): void;
}

/** A path in resources of one type. */
class ElementPath {
  readonly path: string;
  readonly children = new Map<string, ElementPath>();
  /** Set if columns have one of several elements. */
  readonly isChosenFrom: boolean;
  /** Codings found there in a resource, and which resource that is. */
  count = 0;
  resource = 0;

  constructor(path: string, isChosenFrom: boolean) {
    this.path = path;
    this.isChosenFrom = isChosenFrom;
  }
}

/** Deeper documents end the process of statements that read JSON recursively, such as json_structure. */
const depthMax = 100;
/** Maximum paths that are remembered: their names are those of the source. */
const pathsMax = 20_000;
/** Members of a Coding. A quantity, an identifier and a reference have others. */
const codingMembers = new Set(['id', 'extension', 'system', 'version', 'code', 'display', 'userSelected']);

/** Reads all elements of resources, whatever their type: their codings, and elements that are in no column. */
export class ElementWalk {
  readonly #chosenFrom: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #types = new Map<string, ElementPath>();
  #paths = 0;
  #resources = 0;
  #isTooDeep = false;

  /** `chosenFrom`: by type, paths of lists of which columns have one element. */
  constructor(chosenFrom: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#chosenFrom = chosenFrom;
  }

  /** Returns whether the resource is nested too deeply for the column `data`. */
  walk(resource: JsonObject, type: string, sink: ElementSink): boolean {
    this.#resources += 1;
    this.#isTooDeep = false;
    let root = this.#types.get(type);
    if (!root) {
      root = new ElementPath('', false);
      if (this.#types.size < pathsMax) this.#types.set(type, root);
    }
    this.#object(resource, type, root, depthMax, false, sink);
    return this.#isTooDeep;
  }

  #object(
    value: JsonObject,
    type: string,
    at: ElementPath,
    levels: number,
    isListed: boolean,
    sink: ElementSink,
  ): void {
    if (levels === 0) {
      this.#isTooDeep = true;
      return;
    }
    for (const key in value) {
      const member = value[key];
      if (typeof member !== 'object' || member === null) continue;
      if (key === 'coding') this.#member(member, type, at, levels - 1, true, sink);
      else this.#member(member, type, this.#child(at, key, type), levels - 1, false, sink);
    }
    const { code } = value;
    if (isListed || (typeof code === 'string' && isCoding(value))) this.#coding(value, at, sink);
  }

  #member(
    value: JsonValue[] | JsonObject,
    type: string,
    at: ElementPath,
    levels: number,
    isListed: boolean,
    sink: ElementSink,
  ): void {
    if (!Array.isArray(value)) {
      this.#object(value, type, at, levels, isListed, sink);
      return;
    }
    if (levels === 0) this.#isTooDeep = true;
    if (at.isChosenFrom && !isListed && value.length > 1) sink.further(at.path, value.length - 1);
    for (const element of value) {
      if (typeof element !== 'object' || element === null) {
        // A list of plain codes.
        if (at.isChosenFrom && typeof element === 'string') this.#coding({ code: element }, at, sink);
      } else if (Array.isArray(element)) this.#isTooDeep ||= isDeeper(element, levels - 1);
      else if (levels > 0) this.#object(element, type, at, levels - 1, isListed, sink);
    }
  }

  #coding(value: JsonObject, at: ElementPath, sink: ElementSink): void {
    const { userSelected, extension } = value;
    if (Array.isArray(extension)) sink.further(`${at.path}.coding.extension`, extension.length);
    const [system, code] = [own(value, 'system'), own(value, 'code')];
    if (system === undefined && code === undefined) return;
    if (at.resource !== this.#resources) {
      at.resource = this.#resources;
      at.count = 0;
    }
    at.count += 1;
    sink.coding(at.path, {
      system,
      code,
      display: own(value, 'display'),
      userSelected: typeof userSelected === 'boolean' ? userSelected : undefined,
      rank: at.count,
    });
  }

  #child(at: ElementPath, key: string, type: string): ElementPath {
    const known = at.children.get(key);
    if (known) return known;
    const path = at.path === '' ? key : `${at.path}.${key}`;
    const child = new ElementPath(path, this.#chosenFrom.get(type)?.has(path) ?? false);
    if (this.#paths < pathsMax) {
      this.#paths += 1;
      at.children.set(key, child);
    }
    return child;
  }
}

function isCoding(value: JsonObject): boolean {
  for (const key in value) if (!codingMembers.has(key)) return false;
  return true;
}

function own(coding: JsonObject, key: string): string | undefined {
  const value = coding[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** FHIR has no lists of lists: nothing is read from them. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  return (Array.isArray(value) ? value : Object.values(value)).some(
    (part) => part !== undefined && isDeeper(part, levels - 1),
  );
}
