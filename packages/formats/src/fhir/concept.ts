import {
  type Extract,
  first,
  type Leaf,
  noteUnknown,
  object,
  type Path,
  type Reading,
  readCode,
  readText,
  textLengthMax,
} from './extract.ts';
import { isObject, type JsonObject } from './json.ts';

type Part = 'code' | 'system' | 'display' | 'text';

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
  return codings.find((coding) => coding['userSelected'] === true) ?? codings.find(isWithCode) ?? codings[0];
}

const isWithCode = ({ code }: JsonObject): boolean => typeof code === 'string' && code.trim() !== '';

/** A code or an address without the blanks around it, which FHIR forbids. */
const withoutBlanks = (text: string): string =>
  text.charCodeAt(0) <= 0x20 || text.charCodeAt(text.length - 1) <= 0x20 ? text.trim() : text;

function partOf(concept: JsonObject, part: Part, path: Path, reading: Reading): string | undefined {
  const holder = part === 'text' ? concept : primary(concept, path, reading);
  const value = holder?.[part];
  if (value === undefined || value === null) {
    if (holder && reading.hasExtended) noteUnknown(holder, part, [...path, part], path.length, reading);
    return undefined;
  }
  // Nearly always: the path is put together for warnings only.
  if (typeof value === 'string' && value.length <= textLengthMax)
    return (part === 'code' || part === 'system' ? withoutBlanks(value) : value) || undefined;
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

function hasCode(concept: JsonObject): boolean {
  const codings = concept['coding'];
  return (Array.isArray(codings) ? codings : [codings]).some(
    (coding) => isObject(coding) && isWithCode(coding),
  );
}

function isCoded(concept: JsonObject): boolean {
  const codings = concept['coding'];
  return Array.isArray(codings) ? codings.length > 0 : codings !== undefined;
}

/** Finds the first concept at the paths with a code, else with a coding, else the first. */
export function conceptAt(...paths: string[]): ConceptFinder {
  const finders = [hasCode, isCoded].map((tells) =>
    first(paths, (value) => (isObject(value) && tells(value) ? value : undefined)),
  );
  finders.push(object(...paths));
  return (scope, reading) => {
    for (const find of finders) {
      const found = find(scope, reading);
      if (found) return found;
    }
    return undefined;
  };
}

/** Reads a part of the concept at one of the paths: code and display are of the same one. */
export function part(which: Part, ...paths: string[]): Extract {
  return conceptPart(conceptAt(...paths), paths[0] ?? '', which);
}

/** The code of the primary coding. A plain code (STU3) stands for itself. */
const codeLeaf: Leaf<string> = (value, path, reading) => {
  if (isObject(value)) return partOf(value, 'code', path, reading);
  if (typeof value === 'string' && path.length === 1) return readCode(value, path, reading);
  reading.unreadable(path.join('.'), 'an object');
  return undefined;
};

const wordsLeaf: Leaf<string> = (value, path, reading) => {
  const words = isObject(value) ? partOf(value, 'text', path, reading) : undefined;
  if (words !== undefined) reading.isWords = true;
  return words;
};

/** Reads a whole concept into one column, of the mask `coded`: of a list the first that has a code, else the first in words. */
export function code(...paths: string[]): Extract {
  const [coded, words] = [first(paths, codeLeaf), first(paths, wordsLeaf)];
  return (scope, reading) => coded(scope, reading) ?? words(scope, reading);
}
