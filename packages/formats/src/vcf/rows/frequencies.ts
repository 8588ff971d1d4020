import { decimal, find, isDigit } from '../../bytes.ts';
import type { AnnotationLayout } from '../annotations.ts';
import { type FrequencyField, frequencySources } from '../frequencies.ts';
import type { AnnotationFields } from './annotation-fields.ts';
import type { InfoValues } from './info-values.ts';

/** An INFO key with population frequencies, its slot and its Number. */
export interface InfoFrequency extends FrequencyField {
  slot: number;
  number: string;
}

/** The columns of `variant` with the least, the greatest and the global population frequency of an alternate. */
export const frequencyColumns: readonly string[] = [
  'minimum_allele_frequency',
  'maximum_allele_frequency',
  'population_allele_frequency',
];
const [least, greatest, global] = [0, 1, 2];

/** The population frequencies of an alternate. */
export class Frequencies {
  /** In the order of the columns; NaN where nothing is known. In memory of its own, because a number with a fraction would each time be a new object. */
  readonly values = new Float64Array(frequencyColumns.length);
  readonly #ofInfo: { field: InfoFrequency; trust: number }[];
  readonly #ofAnnotation: { place: number; trust: number }[];
  #trust = 0;

  constructor(info: readonly InfoFrequency[], layout: AnnotationLayout | undefined) {
    this.#ofInfo = info.map((field) => ({ field, trust: trustOf(field) }));
    this.#ofAnnotation = (layout?.frequencies ?? []).map((field) => ({
      place: field.place,
      trust: trustOf(field),
    }));
  }

  read(
    bytes: Uint8Array,
    values: InfoValues,
    chosen: AnnotationFields | undefined,
    alternate: number,
    alternateCount: number,
  ): void {
    this.#trust = frequencySources.length;
    this.values.fill(Number.NaN);
    for (const { field, trust } of this.#ofInfo) {
      const start = values.starts[field.slot] as number;
      if (start >= 0)
        this.#ofAlternate(
          bytes,
          start,
          values.ends[field.slot] as number,
          field,
          trust,
          alternate,
          alternateCount,
        );
    }
    if (!chosen) return;
    for (const { place, trust } of this.#ofAnnotation) {
      const start = chosen.startAt(place);
      const end = chosen.endAt(place);
      if (end > start) this.#firstNumber(bytes, start, end, trust);
    }
  }

  #ofAlternate(
    bytes: Uint8Array,
    start: number,
    end: number,
    field: InfoFrequency,
    trust: number,
    alternate: number,
    count: number,
  ): void {
    let from = bytes[start] === 91 ? start + 1 : start;
    const stop = bytes[end - 1] === 93 ? end - 1 : end;
    if (!field.referenceFirst) {
      // Most are one number, which need not be looked through for others.
      const only = numberAt(bytes, from, stop);
      if (!Number.isNaN(only)) {
        this.#add(only, trust);
        return;
      }
    }
    if (find(bytes, 44, from, stop) < 0) return;
    for (let skip = valuesBefore(bytes, from, stop, field, alternate, count); skip > 0; skip -= 1) {
      const next = find(bytes, 44, from, stop);
      if (next < 0) return;
      from = next + 1;
    }
    const to = find(bytes, 44, from, stop);
    this.#add(numberAt(bytes, from, to < 0 ? stop : to), trust);
  }

  /** Co-located variants give several values with `&`; VEP before 90 writes the allele before the value (`T:0.0958`). */
  #firstNumber(bytes: Uint8Array, start: number, end: number, trust: number): void {
    let from = start;
    let to = find(bytes, 38, start, end);
    if (to < 0) to = end;
    const colon = find(bytes, 58, start, to);
    if (colon >= 0) from = colon + 1;
    this.#add(numberAt(bytes, from, to), trust);
  }

  #add(value: number, trust: number): void {
    if (!(value >= 0 && value <= 1)) return;
    const { values } = this;
    // What compares with NaN is the first.
    if (!((values[least] as number) <= value)) values[least] = value;
    if (!((values[greatest] as number) >= value)) values[greatest] = value;
    if (trust < this.#trust) {
      this.#trust = trust;
      values[global] = value;
    }
  }
}

/** A number may begin with `+` (VCF 4.3 §1.3), but not with `-`; NaN for anything else. */
function numberAt(bytes: Uint8Array, from: number, end: number): number {
  const start = bytes[from] === 43 ? from + 1 : from;
  return isDigit(bytes[start]) || bytes[start] === 46 ? decimal(bytes, start, end) : Number.NaN;
}

function trustOf(field: FrequencyField): number {
  return field.global ? frequencySources.indexOf(field.global) : frequencySources.length;
}

/** How many values stand before that of the alternate, by the key's Number, else by how many there are. */
function valuesBefore(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: InfoFrequency,
  alternate: number,
  count: number,
): number {
  if (field.referenceFirst || field.number === 'R') return alternate;
  if (field.number === 'A') return alternate - 1;
  let values = 1;
  for (let at = start; at < end; at += 1) if (bytes[at] === 44) values += 1;
  if (values === count) return alternate - 1;
  return values === count + 1 ? alternate : values;
}
