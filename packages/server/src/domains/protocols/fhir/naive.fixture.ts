import type { JsonObject, JsonValue } from '@ploidy/formats/fhir';
import { type ParameterKind, type Place, parametersOf, type SearchParameter } from '@ploidy/formats/fhir-r4';
import { dateHolds, numberHolds, quantityHolds } from './naive-ranges.fixture.ts';

/** Resources by which searches are answered, as a client reads them. */
export type NaiveLake = readonly JsonObject[];

/** Splits at a separator without a backslash before it; parts stay escaped. */
const split = (text: string, separator: string): string[] =>
  text.replace(/\\(.)|([,|$])/gs, (all, _escaped, one) => (one === separator ? '\0' : all)).split('\0');
const plain = (text: string): string => text.replace(/\\([,|$\\])/g, '$1');

/** Returns the ids of a type that match all parameters, by reading each resource: a second implementation of R4 §3.1.1.4. */
export function naiveIds(
  lake: NaiveLake,
  type: string,
  pairs: readonly [string, string][],
  now: number,
): string[] {
  const search = new NaiveSearch(lake, now);
  return lake
    .filter(
      (one) =>
        one['resourceType'] === type && pairs.every(([name, value]) => search.matches(one, name, value)),
    )
    .map(({ id }) => String(id))
    .sort();
}

class NaiveSearch {
  readonly #lake: NaiveLake;
  readonly #now: number;

  constructor(lake: NaiveLake, now: number) {
    this.#lake = lake;
    this.#now = now;
  }

  matches(resource: JsonObject, name: string, value: string): boolean {
    const type = String(resource['resourceType']);
    const [has, source = '', code = '', ...inner] = name.split(':');
    if (has === '_has')
      return this.#lake.some(
        (one) =>
          one['resourceType'] === source &&
          this.#names(one, code).some((named) => isNamed(named, type, String(resource['id']))) &&
          this.matches(one, inner.join(':'), value),
      );
    const [first = '', ...rest] = name.split('.');
    const [own = '', modifier] = first.split(':');
    if (rest.length > 0)
      return this.#names(resource, own).some((named) =>
        this.#lake.some(
          (one) =>
            (modifier === undefined
              ? own !== 'patient' || one['resourceType'] === 'Patient'
              : one['resourceType'] === modifier) &&
            isNamed(named, String(one['resourceType']), String(one['id'])) &&
            this.matches(one, rest.join('.'), value),
        ),
      );
    if (own === '_id') return split(value, ',').includes(String(resource['id']));
    const parameter = parametersOf(type).get(own);
    if (!parameter) throw new Error(`${type} has no ${own}`);
    const found = placed(resource, parameter.places);
    if (modifier === 'missing') return (found.length === 0) === (value === 'true');
    const some = split(value, ',').some((one) => this.#holds(parameter, found, one, modifier));
    return modifier === 'not' ? !some : some;
  }

  #names(resource: JsonObject, code: string): string[] {
    const parameter = parametersOf(String(resource['resourceType'])).get(code);
    return placed(resource, parameter?.places ?? []).flatMap(([place, one]) => {
      const text = String(Object(one).reference);
      const isOther =
        place.target !== undefined && !text.startsWith('urn:') && !text.includes(`${place.target}/`);
      return isOther ? [] : [text];
    });
  }

  #holds(parameter: SearchParameter, found: Found[], value: string, modifier: string | undefined): boolean {
    const { kind, parts = [] } = parameter;
    if (kind === 'composite') {
      const values = split(value, '$');
      return found.some(([, one]) =>
        parts.every((part, at) =>
          this.#holds(part, placed(Object(one), part.places), values[at] ?? '', undefined),
        ),
      );
    }
    const how = { value, modifier, parameter, now: this.#now };
    return found.some(([place, element]) => holds[kind](place, element, how));
  }
}

type Found = readonly [Place, JsonValue];

const placed = (resource: JsonObject, places: readonly Place[]): Found[] =>
  places.flatMap((place) => elementsAt(resource, place).map((element): Found => [place, element]));

function elementsAt(resource: JsonObject, { steps, having }: Place): JsonValue[] {
  let values: JsonValue[] = [resource];
  for (const { name, isList } of steps)
    values = values.flatMap((value) => {
      const member = Object(value)[name];
      if (member === undefined || member === null) return [];
      if (isList) return Array.isArray(member) ? member.filter((one) => one !== null) : [];
      return Array.isArray(member) ? [] : [member];
    });
  return having ? values.filter((value) => Object(value)[having.member] === having.value) : values;
}

/** One value of a search, with what it compares. */
interface How {
  value: string;
  modifier: string | undefined;
  parameter: SearchParameter;
  now: number;
}

type Holds = (place: Place, element: JsonValue, how: How) => boolean;

const holds: Record<Exclude<ParameterKind, 'composite'>, Holds> = {
  token: holdsToken,
  string: (_place, element, { value, modifier }) => holdsText(element, plain(value), modifier),
  uri: (_place, element, { value, modifier }) => {
    const segments = (one: string): string[] => one.replace(/\/+$/, '').split('/');
    const isBelow = (one: string, other: string): boolean =>
      segments(other).every((segment, at) => segments(one)[at] === segment);
    const [text, wanted] = [String(element), plain(value)];
    if (modifier === undefined) return text === wanted;
    return modifier === 'below' ? isBelow(text, wanted) : isBelow(wanted, text);
  },
  date: ({ type }, element, { value, now }) => dateHolds(type, element, plain(value), now),
  number: (_place, element, { value }) => numberHolds(element, value),
  quantity: (_place, element, { value }) => quantityHolds(Object(element), value.split('|')),
  reference: holdsReference,
};

function holdsToken({ type }: Place, element: JsonValue, { value, modifier }: How): boolean {
  const object = Object(element);
  const parts = split(value, '|').map(plain);
  if (modifier === 'text') {
    const words = { CodeableConcept: object.text, Coding: object.display, Identifier: object.type?.text }[
      type
    ];
    return typeof words === 'string' && holdsText(words, plain(value), undefined);
  }
  if (modifier === 'of-type') {
    const [system = '', code, own] = parts;
    const codings: { system?: string; code?: string }[] = object.type?.coding ?? [];
    const isType = codings.some((one) => one.code === code && (system === '' || one.system === system));
    return type === 'Identifier' && isType && object.value === own;
  }
  const [system, code] = parts.length === 1 ? [undefined, parts[0]] : [parts[0], parts.slice(1).join('|')];
  const codings = type === 'CodeableConcept' ? (object.coding ?? []) : [element];
  return codings.some((coding: Record<string, unknown>) => {
    if (typeof coding !== 'object') return String(coding) === code;
    const own = type === 'Identifier' || type === 'ContactPoint' ? coding['value'] : coding['code'];
    const isSystem =
      system === undefined || (system === '' ? coding['system'] === undefined : coding['system'] === system);
    return isSystem && (code === '' ? own !== undefined || system !== '' : own === code);
  });
}

const bare = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

function holdsText(element: JsonValue, value: string, modifier: string | undefined): boolean {
  const parts: unknown[] =
    typeof element === 'object'
      ? Object.entries(Object(element))
          .filter(([key]) => key !== 'use' && key !== 'type')
          .flatMap(([, one]) => one)
      : [element];
  return parts.some((part) => {
    if (typeof part !== 'string') return false;
    if (modifier === 'exact') return part === value;
    return modifier === 'contains' ? bare(part).includes(bare(value)) : bare(part).startsWith(bare(value));
  });
}

function holdsReference(place: Place, element: JsonValue, { value, modifier, parameter }: How): boolean {
  const identifier = Object(element).identifier;
  if (modifier === 'identifier')
    return (
      identifier !== undefined &&
      holdsToken({ ...place, type: 'Identifier' }, identifier, {
        value,
        modifier: undefined,
        parameter,
        now: 0,
      })
    );
  const target = parameter.name === 'patient' ? 'Patient' : place.target;
  const [type, id = ''] = value.includes('/') ? value.split('/') : [modifier ?? target, value];
  if (target !== undefined && type !== target) return false;
  return isNamed(String(Object(element).reference), type, id);
}

/** Reports whether a reference names a resource: by `Type/id` of any server and version, or by a `urn:`. */
function isNamed(reference: string, type: string | undefined, id: string): boolean {
  const urn = /^urn:(?:uuid|oid):(.*)$/.exec(reference)?.[1];
  if (urn !== undefined) return urn === id;
  const parts = reference.replace(/\/_history\/.*$/, '').split('/');
  return parts.length >= 2 && parts.at(-1) === id && (type === undefined || parts.at(-2) === type);
}
