import {
  type Extract,
  first,
  type Leaf,
  objectThat,
  type Path,
  type Reading,
  readCode,
  readText,
  textLengthMax,
} from './extract.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

type Part = 'code' | 'system' | 'display' | 'text';

/** One coding of a CodeableConcept. */
export interface Coding {
  system: string | undefined;
  code: string | undefined;
  display: string | undefined;
}

/** Returns the coding that a user chose, else the first that has a code, else the first. */
function primary(concept: JsonObject, path: Path, reading: Reading): JsonObject | undefined {
  const listed = concept['coding'];
  if (listed === undefined || listed === null) return undefined;
  // There is nearly always one.
  if (Array.isArray(listed) && listed.length === 1 && isObject(listed[0])) return listed[0];
  const codings = (Array.isArray(listed) ? listed : [listed]).filter(isObject);
  if (codings.length === 0) {
    if (!Array.isArray(listed) || listed.length > 0)
      reading.unreadable([...path, 'coding'].join('.'), 'a list of objects');
    return undefined;
  }
  if (codings.length === 1) return codings[0];
  return (
    codings.find((coding) => coding['userSelected'] === true) ??
    codings.find((coding) => typeof coding['code'] === 'string') ??
    codings[0]
  );
}

function partOf(concept: JsonObject, part: Part, path: Path, reading: Reading): string | undefined {
  const holder = part === 'text' ? concept : primary(concept, path, reading);
  const value = holder?.[part];
  if (value === undefined || value === null) return undefined;
  // Nearly always: the path is built for warnings only.
  if (typeof value === 'string' && value.length <= textLengthMax) return value || undefined;
  return readText(value, part === 'text' ? [...path, part] : [...path, 'coding', part], reading);
}

/** Finds the CodeableConcept of a column. */
export type ConceptFinder = (scope: JsonObject, reading: Reading) => JsonObject | undefined;

/** Reads a part of the primary coding, or the text, of the concept that `find` returns. */
export function conceptPart(find: ConceptFinder, path: string, part: Part): Extract {
  const steps = path.split('.');
  return (scope, reading) => {
    const concept = find(scope, reading);
    return concept && partOf(concept, part, steps, reading);
  };
}

function isCoded(concept: JsonObject): boolean {
  const codings = concept['coding'];
  return Array.isArray(codings) ? codings.length > 0 : codings !== undefined;
}

/** Reads a part of the first coded concept at one of the paths, else of the first: code and display are of the same one. */
export function part(which: Part, ...paths: string[]): Extract {
  return conceptPart(objectThat(isCoded, ...paths), paths[0] ?? '', which);
}

/** Reads the code of the primary coding, else the text, which is words. A plain code (STU3) is its own code. */
const codeLeaf: Leaf<string> = (value, path, reading) => {
  if (typeof value === 'string' && path.length === 1) return readCode(value, path, reading);
  if (isObject(value)) {
    const coded = partOf(value, 'code', path, reading);
    if (coded !== undefined) return coded;
    const words = partOf(value, 'text', path, reading);
    if (words !== undefined) reading.isWords = true;
    return words;
  }
  reading.unreadable(path.join('.'), 'an object');
  return undefined;
};

/** Reads a whole concept into one column of the mask `coded`. */
export const code = (...paths: string[]): Extract => first(paths, codeLeaf);

/** Passes every coding of every concept at a path (through all lists) to `visit`. `depth`: steps already taken. */
export function eachCoding(
  value: JsonValue | undefined,
  path: readonly string[],
  visit: (coding: Coding) => void,
  depth = 0,
): void {
  if (value === undefined || value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    // FHIR has no lists of lists; not following them also bounds the recursion by the length of the path.
    for (const element of value) if (!Array.isArray(element)) eachCoding(element, path, visit, depth);
    return;
  }
  const step = path[depth];
  if (step !== undefined) {
    eachCoding(value[step], path, visit, depth + 1);
    return;
  }
  const codings = value['coding'];
  for (const coding of Array.isArray(codings) ? codings : []) {
    if (!isObject(coding)) continue;
    const found = {
      system: own(coding, 'system'),
      code: own(coding, 'code'),
      display: own(coding, 'display'),
    };
    if (found.system !== undefined || found.code !== undefined) visit(found);
  }
}

function own(coding: JsonObject, key: string): string | undefined {
  const value = coding[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
