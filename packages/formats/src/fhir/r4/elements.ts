import { dataTypes, openTypes } from './data-types.ts';
import { resourceElements } from './resource-elements.ts';

/**
 * Element of a type of R4. Notation: `name*!^:Type`, with `*` for a list, `!` for a mandatory element and `^` for one of
 * summaries; `name~A|B` for a value of one of several types (`~*`: of any), `name(…)` for elements within, `name@path` for
 * those of another element.
 */
export interface Element {
  /** Name without the type of a choice: `value` of `valueQuantity`. */
  name: string;
  /** Type of the value; empty for an element with elements of its own. */
  type: string;
  isList: boolean;
  isMandatory: boolean;
  isSummary: boolean;
  within?: () => Elements;
}

/** Elements by their names in JSON: those of a choice are several, such as `valueQuantity`. */
export type Elements = ReadonlyMap<string, Element>;

const ofTypes = 'id:string extension*:Extension';
const ofParts = `${ofTypes} modifierExtension*:Extension`;
const ofResources =
  'resourceType!^:code id^:id meta^:Meta implicitRules^:uri language:code text:Narrative contained*:Resource extension*:Extension modifierExtension*^:Extension';

/** Reads the notation of a type: the elements that all such types have, then its own. */
function elementsIn(text: string, inherited: string): Elements {
  const tokens = `${inherited} ${text}`.match(/[()]|[^\s()]+/g) ?? [];
  let next = 0;
  const read = (found: Map<string, Element>): Elements => {
    for (let token = tokens[next++]; token !== undefined && token !== ')'; token = tokens[next++]) {
      const [, name = '', marks = '', mark = '', rest = ''] =
        /^(\w+)([*!^]*)(?:([:~@])(.*))?$/.exec(token) ?? [];
      const element = { name, ...marksIn(marks) };
      const types = rest === '*' ? openTypes.split(' ') : rest.split('|');
      if (mark === '~') for (const type of types) found.set(choiceName(name, type), { ...element, type });
      else if (mark === ':') found.set(name, { ...element, type: rest });
      else if (mark === '@') found.set(name, { ...element, type: '', within: () => inside(root, rest) });
      else {
        // The parenthesis follows the name.
        next += 1;
        const parts = read(new Map(elementsOfParts));
        found.set(name, { ...element, type: '', within: () => parts });
      }
    }
    return found;
  };
  const root: Elements = read(new Map());
  return root;
}

const marksIn = (marks: string) => ({
  isList: marks.includes('*'),
  isMandatory: marks.includes('!'),
  isSummary: marks.includes('^'),
});

/** Returns the name in JSON of a value of a type: `valueQuantity`. */
export const choiceName = (name: string, type: string): string =>
  `${name}${type.charAt(0).toUpperCase()}${type.slice(1)}`;

const inside = (elements: Elements, path: string): Elements =>
  path.split('.').reduce((found, name) => found.get(name)?.within?.() ?? found, elements);

const elementsOfParts = elementsIn('', ofParts);

/** Elements that `_name` has beside a primitive value. */
export const elementsOfPrimitives = elementsIn('', ofTypes);

/** Reads the lines of types, each when it is first asked for. */
function typesIn(text: string, inherited: string): (name: string) => Elements | undefined {
  const lines = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' '))]),
  );
  const known = new Map<string, Elements>();
  return (name) => {
    const line = lines.get(name);
    if (line === undefined) return undefined;
    const elements = known.get(name) ?? elementsIn(line, inherited);
    known.set(name, elements);
    return elements;
  };
}

/** Returns the elements of a resource type; undefined for a type that is not served. */
export const resourceType = typesIn(resourceElements, ofResources);

/** Returns the elements of a data type; undefined for primitive types. */
export const dataType = typesIn(dataTypes, ofTypes);

/** Resource types of R4 that are served, in the order of their names. */
export const resourceTypes: readonly string[] = resourceElements
  .trim()
  .split('\n')
  .map((line) => line.slice(0, line.indexOf(' ')));
