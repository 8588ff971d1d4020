import { equal, grown } from '../../bytes.ts';
import type { AnnotationLayout, AnnotationPart } from '../annotations.ts';

const bar = 124;
const comma = 44;
const opening = 40;
const closing = 41;

/** Where the fields of one annotation stand. Places count from 1; a part that the file does not have is at place 0. */
export class AnnotationFields {
  readonly places: Readonly<Record<AnnotationPart, number>>;
  #starts = new Int32Array(128);
  #count = 0;
  /** No field behind it is asked for. */
  readonly #lastPlace: number;
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
      aminoAcidChange: parts.aminoAcidChange ?? 0,
      canonical: parts.canonical ?? 0,
      maneSelect: parts.maneSelect ?? 0,
      manePlusClinical: parts.manePlusClinical ?? 0,
      existingVariation: parts.existingVariation ?? 0,
      significance: parts.significance ?? 0,
    };
  }

  /** Reads the annotation that begins at `start`; gives the place of the comma behind it, or `end`. */
  read(bytes: Uint8Array, start: number, end: number): number {
    if (this.isClassic) return this.#readClassic(bytes, start, end);
    const lastPlace = this.#lastPlace;
    let starts = this.#starts;
    let field = 0;
    let at = start;
    starts[0] = start;
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === bar) {
        field += 1;
        if (field + 1 >= starts.length) starts = this.#starts = grown(starts);
        starts[field] = at + 1;
        if (field === lastPlace) break;
      } else if (byte === comma) break;
    }
    if (field < lastPlace) starts[field + 1] = at + 1;
    this.#count = Math.min(field + 1, lastPlace);
    while (at < end && bytes[at] !== comma) at += 1;
    return at;
  }

  /** `EFFECT(field|field)`. */
  #readClassic(bytes: Uint8Array, start: number, end: number): number {
    let stop = -1;
    let field = 0;
    let at = start;
    this.#starts[0] = start;
    for (; at < end && bytes[at] !== comma; at += 1) {
      const byte = bytes[at];
      if (byte === bar || byte === opening) {
        field += 1;
        if (field + 1 >= this.#starts.length) this.#starts = grown(this.#starts);
        this.#starts[field] = at + 1;
      } else if (byte === closing && stop < 0) stop = at;
    }
    this.#starts[field + 1] = (stop < 0 ? at : stop) + 1;
    this.#count = field + 1;
    return at;
  }

  /** Start and end are equal when there is no such field. */
  startAt(place: number): number {
    return place > 0 && place <= this.#count ? (this.#starts[place - 1] as number) : 0;
  }

  endAt(place: number): number {
    return place > 0 && place <= this.#count ? (this.#starts[place] as number) - 1 : 0;
  }

  has(place: number): boolean {
    return this.endAt(place) > this.startAt(place);
  }

  is(bytes: Uint8Array, place: number, text: Uint8Array): boolean {
    return equal(bytes, this.startAt(place), this.endAt(place), text);
  }
}
