import { grown } from '../../../bytes.ts';
import type { AnnotationLayout, AnnotationPart } from '../../annotation-layout.ts';

const bar = 124;
const comma = 44;
const opening = 40;
const closing = 41;

/**
 * Positions of the fields of the annotations of one record, with one current annotation. Positions count from 1; a part that
 * the file lacks is at 0. The next record reuses its arrays.
 */
export class AnnotationFields {
  readonly places: Readonly<Record<AnnotationPart, number>>;
  /** Number of the last field that is read. */
  readonly #lastPlace: number;
  /** Starts of the fields of each annotation, as far as needed, and the end of the last. */
  #starts = new Int32Array(1024);
  #used = 0;
  /** Index of each annotation in `#starts`, and its number of fields there. */
  #bases = new Int32Array(64);
  #counts = new Int32Array(64);
  #annotationCount = 0;
  /** Index of the current annotation in `#starts`, and its number of fields. */
  #base = 0;
  #count = 0;
  /** Number of the current annotation, from 0. */
  selected = 0;
  /** `EFF`. */
  readonly isClassic: boolean;

  constructor({ parts, shape, frequencies }: AnnotationLayout) {
    this.#lastPlace = Math.max(1, ...Object.values(parts), ...frequencies.map(({ place }) => place));
    this.isClassic = shape === 'classic';
    // Every part is named, so that all layouts have one shape for the compiler.
    this.places = {
      allele: parts.allele ?? 0,
      alleleNumber: parts.alleleNumber ?? 0,
      effect: parts.effect ?? 0,
      impact: parts.impact ?? 0,
      symbol: parts.symbol ?? 0,
      geneId: parts.geneId ?? 0,
      transcript: parts.transcript ?? 0,
      biotype: parts.biotype ?? 0,
      codingChange: parts.codingChange ?? 0,
      aminoAcidChange: parts.aminoAcidChange ?? 0,
      proteinPosition: parts.proteinPosition ?? 0,
      aminoAcids: parts.aminoAcids ?? 0,
      canonical: parts.canonical ?? 0,
      maneSelect: parts.maneSelect ?? 0,
      manePlusClinical: parts.manePlusClinical ?? 0,
      existingVariation: parts.existingVariation ?? 0,
      significance: parts.significance ?? 0,
      exon: parts.exon ?? 0,
      intron: parts.intron ?? 0,
      decay: parts.decay ?? 0,
      joint: parts.joint ?? 0,
    };
  }

  clear(): void {
    this.#annotationCount = 0;
    this.#used = 0;
  }

  /** Selects one of the annotations of the record, from 0. */
  select(annotation: number): void {
    this.selected = annotation;
    this.#base = this.#bases[annotation] as number;
    this.#count = this.#counts[annotation] as number;
  }

  /** Reads the annotation that begins at `start`, and selects it; returns the place of the comma after it, or `end`. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const annotation = this.#annotationCount;
    if (annotation === this.#counts.length) {
      this.#bases = grown(this.#bases);
      this.#counts = grown(this.#counts);
    }
    this.#annotationCount = annotation + 1;
    this.#base = this.#used;
    const stop = this.isClassic ? this.#readClassic(bytes, start, end) : this.#readFields(bytes, start, end);
    this.#used = this.#base + this.#count + 1;
    this.#bases[annotation] = this.#base;
    this.#counts[annotation] = this.#count;
    return stop;
  }

  #readFields(bytes: Uint8Array, start: number, end: number): number {
    const last = this.#base + this.#lastPlace;
    let starts = this.#roomFor(this.#base);
    let field = this.#base;
    let at = start;
    starts[field] = start;
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === bar) {
        field += 1;
        if (field + 1 >= starts.length) starts = this.#roomFor(field);
        starts[field] = at + 1;
        if (field === last) break;
      } else if (byte === comma) break;
    }
    if (field < last) starts[field + 1] = at + 1;
    this.#count = Math.min(field - this.#base + 1, this.#lastPlace);
    while (at < end && bytes[at] !== comma) at += 1;
    return at;
  }

  /** Reads `EFFECT(field|field)`. */
  #readClassic(bytes: Uint8Array, start: number, end: number): number {
    const last = this.#base + this.#lastPlace;
    let starts = this.#roomFor(this.#base);
    let stop = -1;
    let field = this.#base;
    let at = start;
    starts[field] = start;
    for (; at < end && bytes[at] !== comma; at += 1) {
      const byte = bytes[at];
      if (byte === bar || byte === opening) {
        if (field === last) continue;
        field += 1;
        if (field + 1 >= starts.length) starts = this.#roomFor(field);
        starts[field] = at + 1;
      } else if (byte === closing && stop < 0) stop = at;
    }
    // A bracket that closes before the last field began is not its end.
    if (field < last) starts[field + 1] = Math.max(starts[field] as number, stop < 0 ? at : stop) + 1;
    this.#count = Math.min(field - this.#base + 1, this.#lastPlace);
    return at;
  }

  /** Returns the starts, with room for a field and its end. */
  #roomFor(field: number): Int32Array {
    while (field + 1 >= this.#starts.length) this.#starts = grown(this.#starts);
    return this.#starts;
  }

  /** Start and end are equal without such a field. */
  startAt(place: number): number {
    return place > 0 && place <= this.#count ? (this.#starts[this.#base + place - 1] as number) : 0;
  }

  endAt(place: number): number {
    return place > 0 && place <= this.#count ? (this.#starts[this.#base + place] as number) - 1 : 0;
  }

  has(place: number): boolean {
    return this.endAt(place) > this.startAt(place);
  }

  is(bytes: Uint8Array, place: number, text: Uint8Array): boolean {
    const start = this.startAt(place);
    if (this.endAt(place) - start !== text.length) return false;
    for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false;
    return true;
  }
}
