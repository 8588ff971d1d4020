import { decimal, equal, find, isDigit, textOf } from '../../../bytes.ts';
import type { AnnotationLayout } from '../../annotation-layout.ts';
import { type FrequencyField, frequencyList, frequencySources, listedSource } from '../../frequencies.ts';
import type { AnnotationFields } from '../annotations/annotation-fields.ts';
import type { InfoValues } from '../info-values.ts';

/** An INFO key with population frequencies, its slot and its Number. */
export interface InfoFrequency extends FrequencyField {
  slot: number;
  number: string;
}

/** Columns of `variant` with the minimum, the maximum and the global population frequency of an alternate. */
export const frequencyColumns: readonly string[] = [
  'minimum_allele_frequency',
  'maximum_allele_frequency',
  'population_allele_frequency',
];
const [least, greatest, global] = [0, 1, 2];

/** The population frequencies of an alternate. */
export class Frequencies {
  /**
   * Frequencies in the order of the columns; NaN for unknown ones. In memory of its own, because each fraction would be a new
   * object.
   */
  readonly values = new Float64Array(frequencyColumns.length);
  /** Set if a value was left out: a list that fits neither the alternates nor all alleles, values that differ, or no number. */
  isUnclear = false;
  readonly #ofInfo: { field: InfoFrequency; trust: number }[];
  readonly #ofAnnotation: { place: number; trust: number }[];
  readonly #allelePlace: number | undefined;
  #trust = 0;

  constructor(info: readonly InfoFrequency[], layout: AnnotationLayout | undefined) {
    this.#allelePlace = layout?.parts.allele;
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
    this.isUnclear = false;
    for (const { field, trust } of this.#ofInfo) {
      const start = values.starts[field.slot] as number;
      if (start < 0) continue;
      if (field.name === frequencyList)
        this.#listed(textOf(bytes, start, values.ends[field.slot] as number), alternate, alternateCount);
      else
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
      if (end > start) this.#annotated(bytes, start, end, trust, chosen);
    }
  }

  /** Frequencies of dbSNP, one list a source, the reference's first. Splitters leave the lists of all alternates. */
  #listed(text: string, alternate: number, count: number): void {
    for (const part of text.split('|')) {
      const [name = '', values = ''] = part.split(':');
      const list = values.split(',');
      if (list.length !== count + 1) {
        this.isUnclear = true;
        continue;
      }
      const value = list[alternate] ?? '';
      const source = listedSource(name);
      const trust = source ? frequencySources.indexOf(source) : frequencySources.length;
      if (/^\d/.test(value)) this.#add(Number(value), trust);
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
      // Most are one number, which need not be searched for others.
      const only = numberAt(bytes, from, stop);
      if (!Number.isNaN(only)) {
        if (count > 1 && (field.number === 'A' || field.number === 'R')) this.isUnclear = true;
        else this.#addOwn(only, trust);
        return;
      }
    }
    if (find(bytes, 44, from, stop) < 0) {
      this.#leaveOut(bytes, from, stop);
      return;
    }
    const before = valuesBefore(bytes, from, stop, field, alternate, count);
    if (before < 0) this.isUnclear = true;
    if (before < 0) return;
    for (let skip = before; skip > 0; skip -= 1) from = find(bytes, 44, from, stop) + 1;
    const comma = find(bytes, 44, from, stop);
    const to = comma < 0 ? stop : comma;
    const own = numberAt(bytes, from, to);
    if (Number.isNaN(own)) this.#leaveOut(bytes, from, to);
    else this.#addOwn(own, trust);
  }

  /** Text that begins as a number and is none (`5%`, `0.1|0.2`) is a lost value; `.`, `NA` and `-1` mean none. */
  #leaveOut(bytes: Uint8Array, start: number, end: number): void {
    if (start < end && isDigit(bytes[start])) this.isUnclear = true;
  }

  #addOwn(value: number, trust: number): void {
    if (value > 1) this.isUnclear = true;
    else this.#add(value, trust);
  }

  #annotated(bytes: Uint8Array, start: number, end: number, trust: number, chosen: AnnotationFields): void {
    const value = agreedFrequency(bytes, start, end, (from, to) => this.#isOfAllele(bytes, from, to, chosen));
    if (value === undefined) this.isUnclear = true;
    else this.#add(value, trust);
  }

  #isOfAllele(bytes: Uint8Array, from: number, to: number, chosen: AnnotationFields): boolean {
    const place = this.#allelePlace;
    return place === undefined || equal(bytes, from, to, bytes, chosen.startAt(place), chosen.endAt(place));
  }

  #add(value: number, trust: number): void {
    if (!(value >= 0 && value <= 1)) return;
    const { values } = this;
    // A comparison with NaN is false: the first value is kept.
    if (!((values[least] as number) <= value)) values[least] = value;
    if (!((values[greatest] as number) >= value)) values[greatest] = value;
    if (trust < this.#trust) {
      this.#trust = trust;
      values[global] = value;
    }
  }
}

/**
 * Reads values joined by `&`, of co-located variants and files of `--custom`: undefined where they differ
 * or are no frequencies (`5%`, the end of `0,05`), NaN without any. VEP before 90 writes before each its allele (`T:0.0958`),
 * which may be the reference.
 */
export function agreedFrequency(
  bytes: Uint8Array,
  start: number,
  end: number,
  isOfAllele: (from: number, to: number) => boolean,
): number | undefined {
  let value = Number.NaN;
  for (let from = start; from < end; ) {
    let to = find(bytes, 38, from, end);
    if (to < 0) to = end;
    const colon = find(bytes, 58, from, to);
    if (colon < 0 || isOfAllele(from, colon)) {
      const first = colon < 0 ? from : colon + 1;
      const own = numberAt(bytes, first, to);
      const isNone = Number.isNaN(own);
      if (isNone ? isDigit(bytes[first]) : own > 1 || (own !== value && !Number.isNaN(value)))
        return undefined;
      if (!isNone) value = own;
    }
    from = to + 1;
  }
  return value;
}

/** Reads a number that may begin with `+` (VCF 4.3 §1.3), but not with `-`; NaN for other text, as for the end of `0,05`. */
function numberAt(bytes: Uint8Array, from: number, end: number): number {
  const start = bytes[from] === 43 ? from + 1 : from;
  if (bytes[start] === 48 && start + 1 < end && isDigit(bytes[start + 1])) return Number.NaN;
  return isDigit(bytes[start]) || bytes[start] === 46 ? decimal(bytes, start, end) : Number.NaN;
}

function trustOf(field: FrequencyField): number {
  return field.global ? frequencySources.indexOf(field.global) : frequencySources.length;
}

/**
 * Returns the number of values before that of the alternate, by the key's Number, else by their count. -1 for a list of another
 * length: the record was split without its lists, or has decimal commas.
 */
function valuesBefore(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: InfoFrequency,
  alternate: number,
  count: number,
): number {
  let values = 1;
  for (let at = start; at < end; at += 1) if (bytes[at] === 44) values += 1;
  if (values === count && !field.referenceFirst && field.number !== 'R') return alternate - 1;
  return values === count + 1 && field.number !== 'A' ? alternate : -1;
}
