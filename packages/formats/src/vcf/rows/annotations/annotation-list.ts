import { bytesOf, grown, isDigit } from '../../../bytes.ts';
import type { AnnotationLayout } from '../../annotation-layout.ts';
import { intergenicRegion as intergenicRegionTerm } from '../../effects.ts';
import type { RecordLine } from '../record-line.ts';
import { AnnotationFields } from './annotation-fields.ts';

const yes = bytesOf('YES');
const manePlusClinicalWord = bytesOf('MANE_Plus_Clinical');
const proteinCoding = bytesOf('protein_coding');
const intergenicRegion = bytesOf(intergenicRegionTerm);
const high = bytesOf('HIGH');
const moderate = bytesOf('MODERATE');
const low = bytesOf('LOW');
const modifier = bytesOf('MODIFIER');

/** Annotations of one record: the fields of each, its gene, allele and rank. The next record reuses its arrays. */
export class AnnotationList {
  count = 0;
  /** Number of records that were read. */
  readCount = 0;
  geneStarts = new Int32Array(64);
  geneEnds = new Int32Array(64);
  alleleStarts = new Int32Array(64);
  alleleEnds = new Int32Array(64);
  /** Number of the alternate; 0 without one. */
  alleleNumbers = new Int32Array(64);
  ranks = new Int32Array(64);
  readonly layout: AnnotationLayout;
  readonly fields: AnnotationFields;

  constructor(layout: AnnotationLayout) {
    this.layout = layout;
    this.fields = new AnnotationFields(layout);
  }

  read(line: RecordLine, start: number, end: number): void {
    this.count = 0;
    this.readCount += 1;
    this.fields.clear();
    for (let at = start; at <= end && start >= 0; ) {
      if (this.count === this.ranks.length) this.#grow();
      at = this.fields.read(line.bytes, at, end) + 1;
      this.#judge(line.bytes);
      this.count += 1;
    }
  }

  #judge(bytes: Uint8Array): void {
    const { fields, count } = this;
    const { allele, alleleNumber, symbol, geneId, effect } = fields.places;
    const gene = fields.is(bytes, effect, intergenicRegion) ? 0 : fields.has(symbol) ? symbol : geneId;
    this.geneStarts[count] = fields.startAt(gene);
    this.geneEnds[count] = fields.endAt(gene);
    this.alleleStarts[count] = fields.startAt(allele);
    this.alleleEnds[count] = fields.endAt(allele);
    this.alleleNumbers[count] = fields.has(alleleNumber)
      ? leadingNumber(bytes, fields.startAt(alleleNumber), fields.endAt(alleleNumber))
      : 0;
    this.ranks[count] =
      this.#standing(bytes) +
      (fields.is(bytes, fields.places.biotype, proteinCoding) ? 0 : 5) +
      this.#impact(bytes);
  }

  /** Ranks an annotation: MANE or canonical first, then protein coding, then impact; the smallest is the best. */
  #standing(bytes: Uint8Array): number {
    const { fields } = this;
    const { maneSelect, manePlusClinical, canonical, joint } = fields.places;
    // The row is of the allele alone.
    if (fields.has(joint)) return 40;
    const hasMane = fields.has(maneSelect);
    if (hasMane && !fields.is(bytes, maneSelect, manePlusClinicalWord)) return 0;
    if (fields.is(bytes, canonical, yes)) return 10;
    return hasMane || fields.has(manePlusClinical) ? 20 : 30;
  }

  #impact(bytes: Uint8Array): number {
    const { fields } = this;
    const place = fields.places.impact;
    if (fields.is(bytes, place, modifier)) return 3;
    if (fields.is(bytes, place, low)) return 2;
    if (fields.is(bytes, place, moderate)) return 1;
    return fields.is(bytes, place, high) ? 0 : 4;
  }

  #grow(): void {
    this.geneStarts = grown(this.geneStarts);
    this.geneEnds = grown(this.geneEnds);
    this.alleleStarts = grown(this.alleleStarts);
    this.alleleEnds = grown(this.alleleEnds);
    this.alleleNumbers = grown(this.alleleNumbers);
    this.ranks = grown(this.ranks);
  }
}

/** Reads the digits at the start of a field; 0 without any. */
function leadingNumber(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end && isDigit(bytes[at]); at += 1)
    value = Math.min(value * 10 + (bytes[at] as number) - 48, 0x7fffffff);
  return value;
}
