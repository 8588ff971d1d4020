import { choiceName, dataType, type Elements, resourceType } from './elements.ts';
import { searchParameters } from './search-parameters.ts';

export type ParameterKind =
  | 'token'
  | 'reference'
  | 'date'
  | 'number'
  | 'quantity'
  | 'string'
  | 'uri'
  | 'composite';

/** Elements that a search parameter compares. */
export interface Place {
  /** Names from the resource to the element, with whether each is a list. None: the resource. */
  steps: readonly { name: string; isList: boolean }[];
  /** Data type of the element. */
  type: string;
  /** Only elements with this member, such as `system` `phone`. */
  having?: { member: string; value: string };
  /** Only references to this type. */
  target?: string;
}

/** Search parameter of a resource type. */
export interface SearchParameter {
  name: string;
  kind: ParameterKind;
  places: readonly Place[];
  /** Parts of a composite: their places are below the elements of `places`. */
  parts?: readonly SearchParameter[];
}

/** Data types that each kind of parameter compares. Values of other types, such as Timing, match no search. */
export const comparable: Readonly<Record<ParameterKind, ReadonlySet<string>>> = {
  token: new Set(
    'CodeableConcept Coding Identifier ContactPoint code boolean string id uri canonical'.split(' '),
  ),
  reference: new Set(['Reference', 'canonical', 'uri']),
  date: new Set(['date', 'dateTime', 'instant', 'Period']),
  number: new Set(['decimal', 'integer', 'positiveInt', 'unsignedInt']),
  quantity: new Set(['Quantity', 'Money', 'Age', 'Duration', 'Count', 'Distance']),
  string: new Set(['string', 'markdown', 'HumanName', 'Address']),
  uri: new Set(['uri', 'url', 'canonical', 'oid', 'uuid']),
  composite: new Set(),
};

/** Parameters of every type (R4 §3.1.1.4). `_id` compares the id under which the lake has the resource. */
const ofEveryType =
  '_lastUpdated:date=meta.lastUpdated _tag:token=meta.tag _security:token=meta.security _profile:uri=meta.profile _source:uri=meta.source';

const lines = new Map(
  searchParameters
    .trim()
    .split('\n')
    .map((line) => {
      const [type = '', ...parameters] = line.split(' ');
      return [type, parameters];
    }),
);
const known = new Map<string, ReadonlyMap<string, SearchParameter>>();

/** Returns the search parameters of a resource type by name; none for a type that is not served. */
export function parametersOf(type: string): ReadonlyMap<string, SearchParameter> {
  const found = known.get(type);
  if (found) return found;
  const elements = resourceType(type);
  const parameters = elements
    ? [...ofEveryType.split(' '), ...(lines.get(type) ?? [])].map((text) => parameterIn(text, elements))
    : [];
  const usable = parameters.filter(({ places }) => places.length > 0);
  const byName = new Map(usable.map((parameter) => [parameter.name, parameter]));
  known.set(type, byName);
  return byName;
}

function parameterIn(text: string, elements: Elements): SearchParameter {
  const [, name = '', kind = '', paths = ''] = /^([\w-]+):(\w+)=(.*)$/.exec(text) ?? [];
  if (kind === 'composite') return compositeIn(name, paths, elements);
  return parameterAt(name, kind as ParameterKind, paths, elements);
}

function parameterAt(name: string, kind: ParameterKind, paths: string, elements: Elements): SearchParameter {
  const places = paths.split(',').flatMap((path) => placesAt(path, elements));
  return { name, kind, places: places.filter(({ type }) => comparable[kind].has(type)) };
}

/** Reads `path,path$kind=path,path$…`: elements, and the parts below them. */
function compositeIn(name: string, text: string, elements: Elements): SearchParameter {
  const [paths = '', ...texts] = text.split('$');
  const found = paths.split(',').flatMap((path) => (path === '.' ? [whole(elements)] : at(path, elements)));
  const [{ within = elements } = {}] = found;
  const parts = texts.map((part) => {
    const [kind = '', below = ''] = part.split('=');
    return parameterAt(name, kind as ParameterKind, below, within);
  });
  return { name, kind: 'composite', places: found.map(({ steps, type }) => ({ steps, type })), parts };
}

type Found = Pick<Place, 'steps' | 'type'> & { within: Elements | undefined };

const whole = (elements: Elements): Found => ({ steps: [], type: '', within: elements });

function placesAt(path: string, elements: Elements): Place[] {
  const [, names = '', having, target] = /^([^{>]+)(?:\{(.*)\})?(?:>(\w+))?$/.exec(path) ?? [];
  const [member = '', value = ''] = having?.split('=') ?? [];
  const more = { ...(having !== undefined && { having: { member, value } }), ...(target && { target }) };
  return at(names, elements).map(({ steps, type }) => ({ steps, type, ...more }));
}

/** Finds the elements at a path: of a value without a type, one place for each type that it may have. */
function at(names: string, elements: Elements): Found[] {
  let places = [whole(elements)];
  for (const part of names.split('.'))
    places = places.flatMap(({ steps, within }) =>
      namedIn(within, part).map(([name, { type, isList, within: inner }]) => ({
        steps: [...steps, { name, isList }],
        type,
        within: inner?.() ?? dataType(type),
      })),
    );
  return places;
}

function namedIn(elements: Elements | undefined, part: string) {
  const [, name = '', type] = /^(\w+)(?:\[(\w+)\])?$/.exec(part) ?? [];
  if (!elements) return [];
  if (type !== undefined)
    return [...elements].filter(([key, element]) => element.name === name && key === choiceName(name, type));
  return [...elements].filter(([, element]) => element.name === name);
}
