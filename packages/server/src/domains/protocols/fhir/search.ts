import { parametersOf, resourceType, type SearchParameter } from '@ploidy/formats/fhir-r4';
import { invalidInput } from '../../../base/problem.ts';
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
  chained?: { type: string; criterion: Criterion };
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

/** Parameters that change the answer and not what matches; those of other modules are ignored. */
type Controls = Omit<Search, 'type' | 'criteria' | 'used' | 'ignored'>;

/** Reads the parameters of a search. Problem 400 for values that cannot be read, and for unknown names if `isStrict`. */
export function readSearch(type: string, pairs: Pairs, isStrict: boolean): Search {
  if (pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > charactersMax)
    throw invalidInput([{ path: 'query', message: `must have at most ${charactersMax} characters` }]);
  const criteria: Criterion[] = [];
  const used: (readonly [string, string])[] = [];
  const ignored = new Set<string>();
  const controls = new ControlReader(type);
  for (const [name, value] of pairs) {
    if (name === '_format' || name === '_pretty') continue;
    const criterion = controls.take(name, value) ? undefined : criterionOf(type, name, value);
    if (criterion === 'unknown') ignored.add(name);
    else {
      if (criterion) criteria.push(criterion);
      used.push([name, value]);
    }
  }
  if (criteria.length > criteriaMax)
    throw invalidInput([{ path: 'query', message: `must have at most ${criteriaMax} conditions` }]);
  if (isStrict && ignored.size > 0)
    throw invalidInput(
      [...ignored].map((name) => ({ path: `query/${name}`, message: `is no search parameter of ${type}` })),
    );
  return { type, criteria, used, ignored: [...ignored], ...controls.read };
}

/** Reads one condition; `unknown` for a name that the type does not have. An empty value is no condition (R4 §3.1.1.4). */
function criterionOf(type: string, name: string, value: string): Criterion | undefined | 'unknown' {
  const dot = name.indexOf('.');
  const [own = '', modifier] = (dot < 0 ? name : name.slice(0, dot)).split(':');
  const parameter = own === '_id' ? undefined : parametersOf(type).get(own);
  if (!parameter && own !== '_id') return 'unknown';
  if (value === '') return undefined;
  if (dot >= 0) {
    if (!parameter) throw wrongValue(name, 'has no chain');
    return chainedOf(parameter, modifier, { name, rest: name.slice(dot + 1), value });
  }
  const values = splitAt(value, ',');
  if (values.length > valuesMax) throw wrongValue(name, `must have at most ${valuesMax} values`);
  if (!parameter && modifier !== undefined) throw wrongValue(name, 'has no modifiers');
  return { parameter, values, ...(modifier !== undefined && { modifier }) };
}

function chainedOf(
  parameter: SearchParameter,
  modifier: string | undefined,
  { name, rest, value }: { name: string; rest: string; value: string },
): Criterion {
  const type = modifier ?? (parameter.name === 'patient' ? 'Patient' : parameter.places[0]?.target);
  if (parameter.kind !== 'reference' || type === undefined || !resourceType(type))
    throw wrongValue(name, `must name the type of the reference, as in ${parameter.name}:Patient.${rest}`);
  if (rest.includes('.')) throw wrongValue(name, 'must have one reference: longer chains are not followed');
  const criterion = criterionOf(type, rest, value);
  // A condition that is left out would find more than was asked for.
  if (criterion === 'unknown' || !criterion)
    throw wrongValue(name, `must end in a search parameter of ${type}`);
  return { parameter, values: [], chained: { type, criterion } };
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
    if (!parameter && name !== '_id')
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
