import { parametersOf, resourceType, type SearchParameter } from '@ploidy/formats/fhir-r4';
import { invalidInput } from '../../../base/problem.ts';
import { targetOf } from './conditions.ts';
import { splitAt, wrongValue } from './values.ts';

/** Parameters of a request as they were sent, in their order. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** One parameter of a search: its values are alternatives. */
export interface Criterion {
  /** Undefined: `_id`, which compares the id in the lake. */
  parameter: SearchParameter | undefined;
  modifier?: string;
  values: readonly string[];
  /** Criterion of the resources that this reference names. */
  chained?: Linked;
  /** Criterion of other resources, whose reference `parameter` names this one. */
  referring?: Linked;
}

/** Resources of a type that a criterion chooses. */
export interface Linked {
  type: string;
  criterion: Criterion;
}

/** Resources to include with those that match. */
interface Inclusion {
  /** Type whose references are followed. */
  source: string;
  parameter: SearchParameter;
  target?: string;
}

export interface SortKey {
  /** Undefined: `_id`. */
  parameter: SearchParameter | undefined;
  descending: boolean;
}

/** A search that was read. */
export interface Search {
  type: string;
  criteria: readonly Criterion[];
  sort: readonly SortKey[];
  count: number;
  /** Set if the number of all matches is wanted. */
  withTotal: boolean;
  summary: 'false' | 'true' | 'text' | 'data' | 'count';
  elements?: readonly string[];
  includes: readonly Inclusion[];
  reverseIncludes: readonly Inclusion[];
  /** Parameters that count, for the link `self`. */
  used: Pairs;
  /** Names of parameters that the type does not have. */
  ignored: readonly string[];
}

/** Matches of a page. */
const countDefault = 50;
const countMax = 1000;
/** Characters of all parameters: the next page has them in its address. */
const charactersMax = 6000;
const criteriaMax = 30;
const valuesMax = 200;
/** References that one condition follows. */
const linksMax = 3;
/** Parameters that have no effect here, and never change what matches. */
const withoutEffect = new Set(['_format', '_pretty', '_totalMethod']);

/** Parameters that change the answer and not what matches; those of other modules are ignored. */
type Controls = Omit<Search, 'type' | 'criteria' | 'used' | 'ignored'>;

/** Reads the parameters of a search. Problem 400 for values that cannot be read, and for unknown names unless `isLenient`. */
export function readSearch(type: string, pairs: Pairs, isLenient: boolean): Search {
  if (pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > charactersMax)
    throw invalidInput([{ path: 'query', message: `must have at most ${charactersMax} characters` }]);
  const criteria: Criterion[] = [];
  const used: (readonly [string, string])[] = [];
  const ignored = new Set<string>();
  const controls = new ControlReader(type);
  for (const [name, value] of pairs) {
    if (withoutEffect.has(name)) continue;
    const criterion = controls.take(name, value) ? undefined : criterionOf(type, name, value);
    if (criterion === 'unknown') ignored.add(name);
    else {
      if (criterion) criteria.push(criterion);
      used.push([name, value]);
    }
  }
  if (criteria.length > criteriaMax)
    throw invalidInput([{ path: 'query', message: `must have at most ${criteriaMax} conditions` }]);
  if (!isLenient && ignored.size > 0) {
    const message = `is no search parameter of ${type}; \`Prefer: handling=lenient\` leaves it out`;
    throw invalidInput([...ignored].map((name) => ({ path: `query/${name}`, message })));
  }
  return { type, criteria, used, ignored: [...ignored], ...controls.read };
}

/** Reads one condition; `unknown` for a name that the type does not have. An empty value is no condition (R4 §3.1.1.4). */
function criterionOf(
  type: string,
  name: string,
  value: string,
  links = 0,
): Criterion | undefined | 'unknown' {
  if (name.startsWith('_has:')) return value === '' ? undefined : referringOf(type, name, value, links);
  const dot = name.indexOf('.');
  const [own = '', modifier, ...more] = (dot < 0 ? name : name.slice(0, dot)).split(':');
  const parameter = own === '_id' ? undefined : parametersOf(type).get(own);
  if (!parameter && own !== '_id') return 'unknown';
  if (value === '') return undefined;
  if (more.length > 0) throw wrongValue(name, 'has more than one modifier');
  if (dot >= 0) {
    if (!parameter) throw wrongValue(name, 'has no chain');
    return chainedOf(parameter, modifier, { name, rest: name.slice(dot + 1), value, links });
  }
  const values = splitAt(value, ',');
  if (values.length > valuesMax) throw wrongValue(name, `must have at most ${valuesMax} values`);
  if (!parameter && modifier !== undefined) throw wrongValue(name, 'has no modifiers');
  return { parameter, values, ...(modifier !== undefined && { modifier }) };
}

interface Rest {
  name: string;
  rest: string;
  value: string;
  links: number;
}

function chainedOf(parameter: SearchParameter, modifier: string | undefined, rest: Rest): Criterion {
  const type = modifier ?? targetOf(parameter);
  if (parameter.kind !== 'reference' || type === undefined || !resourceType(type))
    throw wrongValue(
      rest.name,
      `must name the type of the reference, as in ${parameter.name}:Patient.${rest.rest}`,
    );
  return { parameter, values: [], chained: linkedOf(type, rest) };
}

/** Reads `_has:Type:reference:parameter`: resources of the type refer to those that are wanted. */
function referringOf(type: string, name: string, value: string, links: number): Criterion {
  const [, source = '', code = '', rest = ''] = /^_has:([A-Za-z]+):([\w-]+):(.+)$/.exec(name) ?? [];
  const parameter = parametersOf(source).get(code);
  if (parameter?.kind !== 'reference')
    throw wrongValue(name, 'must be a type, its reference and a parameter: _has:Observation:patient:code');
  const target = targetOf(parameter);
  if (target !== undefined && target !== type)
    throw wrongValue(name, `has references to ${target}, and not to ${type}`);
  return { parameter, values: [], referring: linkedOf(source, { name, rest, value, links }) };
}

function linkedOf(type: string, { name, rest, value, links }: Rest): Linked {
  if (links >= linksMax) throw wrongValue(name, `must follow at most ${linksMax} references`);
  const criterion = criterionOf(type, rest, value, links + 1);
  // A condition that is left out would find more than was asked for.
  if (criterion === 'unknown' || !criterion)
    throw wrongValue(name, `must end in a search parameter of ${type}, with a value`);
  return { type, criterion };
}

/** Collects the parameters that control the answer. */
class ControlReader {
  readonly #type: string;
  #controls: Controls = {
    ...{ sort: [], count: countDefault, withTotal: false, summary: 'false' },
    ...{ includes: [], reverseIncludes: [] },
  };

  constructor(type: string) {
    this.#type = type;
  }

  get read(): Controls {
    const isCount = this.#controls.count === 0;
    return isCount ? { ...this.#controls, summary: 'count' } : this.#controls;
  }

  /** Takes a parameter; false if it is a condition. */
  take(name: string, value: string): boolean {
    const reader = this.#readers[name];
    if (reader) this.#controls = { ...this.#controls, ...reader(value) };
    else if (/^_(rev)?include:/.test(name)) throw wrongValue(name, 'is not followed from included resources');
    return reader !== undefined;
  }

  readonly #readers: Readonly<Record<string, (value: string) => Partial<Controls>>> = {
    _count: (value) => {
      if (!/^\d{1,9}$/.test(value)) throw wrongValue('_count', 'must be a whole number');
      return { count: Math.min(Number(value), countMax) };
    },
    _sort: (value) => ({ sort: value.split(',').map((key) => this.#sortKey(key)) }),
    _total: (value) => ({ withTotal: oneOf('_total', value, ['none', 'estimate', 'accurate']) !== 'none' }),
    _summary: (value) => ({
      summary: oneOf('_summary', value, ['true', 'text', 'data', 'count', 'false'] as const),
    }),
    _elements: (value) => ({
      elements: value.split(',').map((path) => path.replace(/^[A-Z]\w*\./, '').trim()),
    }),
    _include: (value) => ({
      includes: [
        ...this.#controls.includes,
        this.#inclusion('_include', value, (source) => source === this.#type),
      ],
    }),
    _revinclude: (value) => ({
      reverseIncludes: [...this.#controls.reverseIncludes, this.#inclusion('_revinclude', value, () => true)],
    }),
  };

  #sortKey(key: string): SortKey {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    const parameter = parametersOf(this.#type).get(name);
    if ((!parameter && name !== '_id') || parameter?.kind === 'composite')
      throw wrongValue('_sort', `must name search parameters of ${this.#type}`);
    return { parameter, descending };
  }

  #inclusion(name: string, value: string, isSource: (source: string) => boolean): Inclusion {
    const [source = '', code = '', target] = value.split(':');
    const parameter = parametersOf(source).get(code);
    if (!isSource(source) || parameter?.kind !== 'reference')
      throw wrongValue(name, 'must be a type and its reference, as in Observation:subject');
    return { source, parameter, ...(target !== undefined && { target }) };
  }
}

function oneOf<const T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw wrongValue(name, `must be one of ${known.join(', ')}`);
  return found;
}
