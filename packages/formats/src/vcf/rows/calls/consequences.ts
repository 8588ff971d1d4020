import type { ByteWriter } from '../../../bytes.ts';
import type { Dictionary } from '../../../parquet/index.ts';
import type { AnnotationPart } from '../../annotation-layout.ts';
import type { AnnotationChoice } from '../annotations/annotation-choice.ts';
import type { AnnotationList } from '../annotations/annotation-list.ts';
import type { RowContext } from '../columns/column-writer.ts';
import { JsonText, type Label, labelOf } from './json-text.ts';

/** Members of an annotation, each with the comma before it. */
const members: readonly { label: Label; part: AnnotationPart }[] = (
  [
    ['effect', 'effect'],
    ['impact', 'impact'],
    ['gene', 'symbol'],
    ['transcript_id', 'transcript'],
    ['hgvs_c', 'codingChange'],
    ['hgvs_p', 'aminoAcidChange'],
    ['exon', 'exon'],
    ['intron', 'intron'],
    ['decay', 'decay'],
    ['with', 'joint'],
  ] as const
).map(([name, part]) => ({ label: labelOf(`,"${name}":"`), part }));

const [quote, comma] = [34, 44];
const [opening, closing, openingList, closingList] = [123, 125, 91, 93];

/** Maximum bytes of a list; a longer one, of a record that reaches thousands of genes, is left out. */
const bytesMax = 1 << 20;

/** All annotations of an alternate as a JSON list, built once for the rows of all its genes. */
export class Consequences {
  readonly #list: AnnotationList;
  readonly #choice: AnnotationChoice;
  readonly #text = new JsonText();
  #record = -1;
  #alternate = 0;
  #place = -1;

  constructor(list: AnnotationList, choice: AnnotationChoice) {
    this.#list = list;
    this.#choice = choice;
  }

  /** Returns the index of the list among the texts; -1 without annotations. */
  take({ line, alternate }: RowContext, texts: Dictionary): number {
    if (this.#record === this.#list.readCount && this.#alternate === alternate) return this.#place;
    this.#record = this.#list.readCount;
    this.#alternate = alternate;
    const { own, ownCount } = this.#choice;
    const { fields } = this.#list;
    const { selected } = fields;
    const json = texts.begin();
    const start = json.length;
    for (let index = 0; index < ownCount && json.length - start <= bytesMax; index += 1)
      this.#write(line.bytes, own[index] as number, json);
    fields.select(selected);
    if (json.length - start > bytesMax) json.length = start;
    if (json.length > start) {
      // The comma of the first annotation becomes the bracket.
      json.bytes[start] = openingList;
      json.byte(closingList);
    }
    this.#place = texts.end();
    return this.#place;
  }

  #write(bytes: Uint8Array, place: number, json: ByteWriter): void {
    const { fields } = this.#list;
    fields.select(place);
    const before = json.length;
    json.byte(comma);
    for (const { label, part } of members) {
      const field = fields.places[part];
      const start = fields.startAt(field);
      const end = fields.endAt(field);
      if (end <= start) continue;
      this.#text.label(json, label);
      this.#text.write(json, bytes, start, end);
      json.byte(quote);
    }
    // The comma of the first member becomes the brace.
    if (json.length === before + 1) json.length = before;
    else {
      json.bytes[before + 1] = opening;
      json.byte(closing);
    }
  }
}
