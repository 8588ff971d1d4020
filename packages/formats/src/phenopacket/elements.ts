import { isObject, type JsonObject, type JsonValue } from '../fhir/index.ts';
import { codeSystems } from './systems.ts';

/** Reads the elements of one phenopacket (GA4GH Phenopackets 2.0), and notes those without a place in FHIR. */
export class Elements {
  /** Paths of members that are left out. */
  readonly leftOut = new Set<string>();
  /** Addresses of code systems by their prefix in this document. */
  readonly #systems: ReadonlyMap<string, string>;

  constructor(resources: readonly JsonObject[]) {
    this.#systems = new Map(
      resources.flatMap(({ namespacePrefix, url }) =>
        typeof namespacePrefix === 'string' && typeof url === 'string' ? [[namespacePrefix, url]] : [],
      ),
    );
  }

  /** Returns an object whose members are among `known`; others are noted. Empty if there is none. */
  object(value: JsonValue | undefined, path: string, known: readonly string[]): JsonObject {
    if (value === undefined || value === null) return {};
    if (!isObject(value)) {
      this.leftOut.add(path);
      return {};
    }
    for (const name of Object.keys(value)) if (!known.includes(name)) this.leftOut.add(`${path}.${name}`);
    return value;
  }

  objects(value: JsonValue | undefined, path: string, known: readonly string[]): JsonObject[] {
    return objectsOf(value).map((one) => this.object(one, path, known));
  }

  /** Returns an OntologyClass as a CodeableConcept. */
  concept(value: JsonValue | undefined): JsonObject | undefined {
    const { id, label } = isObject(value) ? value : {};
    if (typeof id !== 'string') return undefined;
    const display = typeof label === 'string' && label !== '' && { display: label };
    const [prefix = '', local] = id.split(/:(.*)/s);
    const known = codeSystems.find((one) => one.prefix === prefix);
    const system = known?.system ?? this.#systems.get(prefix);
    if (system === undefined || local === undefined) return { coding: [{ code: id, ...display }] };
    return { coding: [{ system, code: known?.isPrefixed ? id : local, ...display }] };
  }

  /**
   * Returns a TimeElement as members of FHIR: `onset` becomes `onsetDateTime`, `onsetPeriod` or, of an age or a term,
   * `onsetString`. An age is no date: the day of birth is rarely known to the day.
   */
  time(name: string, value: JsonValue | undefined, path: string, hasString = true): JsonObject {
    const { timestamp, interval, age, ontologyClass } = isObject(value) ? value : {};
    if (typeof timestamp === 'string') return { [`${name}DateTime`]: timestamp };
    if (isObject(interval)) {
      const { start, end } = interval;
      return { [`${name}Period`]: { ...(start && { start }), ...(end && { end }) } };
    }
    const words = isObject(age) ? age['iso8601duration'] : isObject(ontologyClass) && ontologyClass['label'];
    if (hasString && typeof words === 'string') return { [`${name}String`]: words };
    if (value !== undefined && value !== null) this.leftOut.add(path);
    return {};
  }

  /** Returns a Quantity with its reference range. */
  quantity(
    value: JsonValue | undefined,
    path: string,
  ): { quantity: JsonObject; range?: JsonObject } | undefined {
    if (!isObject(value)) return undefined;
    const {
      unit,
      value: number = 0,
      referenceRange,
    } = this.object(value, path, ['unit', 'value', 'referenceRange']);
    if (typeof number !== 'number') {
      this.leftOut.add(path);
      return undefined;
    }
    const range = isObject(referenceRange) ? rangeOf(referenceRange) : undefined;
    if (referenceRange !== undefined && !range) this.leftOut.add(`${path}.referenceRange`);
    return { quantity: { value: number, ...unitOf(unit) }, ...(range && { range }) };
  }
}

/** Returns a range of FHIR. Of numbers, JSON of protocol buffers leaves out zeros (proto3). */
function rangeOf({ low, high, unit }: JsonObject): JsonObject | undefined {
  if (low === undefined && high === undefined) return undefined;
  const [from, to] = [low ?? 0, high ?? 0];
  if (typeof from !== 'number' || typeof to !== 'number') return undefined;
  const end = (value: number) => ({ value, ...unitOf(unit) });
  // Zero is no end beyond the other one: then it is left out as unknown.
  if (from > to) return low === undefined ? { high: end(to) } : { low: end(from) };
  return { low: end(from), high: end(to) };
}

/** The objects of a list; none where there is no list. */
export const objectsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const ucum = 'UCUM:';

function unitOf(unit: JsonValue | undefined): JsonObject {
  const { id, label } = isObject(unit) ? unit : {};
  if (typeof id !== 'string') return {};
  // The code of UCUM for numbers without a unit.
  if (id === `${ucum}1`) return {};
  const code = id.startsWith(ucum) && { system: 'http://unitsofmeasure.org', code: id.slice(ucum.length) };
  return { unit: typeof label === 'string' && label !== '' ? label : id, ...code };
}
