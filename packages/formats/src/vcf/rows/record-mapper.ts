import type { AnnotationLayout } from '../annotations.ts';
import { chromosomeName } from '../chromosomes.ts';
import { clinicalKeys } from '../clinical.ts';
import { infoFrequency } from '../frequencies.ts';
import { columnsBeforeSamples, type FieldDefinition } from '../header.ts';
import { unspecifiedAlternates } from '../record.ts';
import { AlleleHash } from './allele-hash.ts';
import { AnnotationChoice } from './annotation-choice.ts';
import { AnnotationList } from './annotation-list.ts';
import { ByteWriter, bytesOf, equal, isLetter, textOf, upperOf } from './bytes.ts';
import { Carriers } from './carriers.ts';
import { Frequencies } from './frequencies.ts';
import { InfoValues } from './info-values.ts';
import { RecordLine } from './record-line.ts';
import { type RowContext, rowColumns, type WriteColumn } from './row-columns.ts';

export interface MappingSettings {
  sampleCount: number;
  declared: ReadonlyMap<string, FieldDefinition>;
  /** INFO keys of the first records. */
  seen: Iterable<string>;
  layout: AnnotationLayout | undefined;
  passOnly: boolean;
}

/** Of a row; alleles and texts that long are no use to anybody, and the engine takes whole rows into memory. */
export const rowBytesMax = 2 << 20;

/** Between the details of a row (ASCII's unit separator); it stands in no sound record. */
export const detailSeparator = '\u001f';

const unit = 31;
const tab = 9;
const newline = 10;
const unspecified = unspecifiedAlternates.map(bytesOf);

/**
 * Lines of a VCF → rows as lines of text: chromosome, position and details, separated by tabs; the details by `detailSeparator`, nothing for NULL. Pure
 * and made for speed: it works on bytes, and makes an object for a value only where that is rare.
 */
export class RecordMapper {
  /** Names of the details of a row. `sample` is the number of the sample column, from 1. */
  readonly details: readonly string[];
  /** Rows so far; whoever takes them sets `length` to 0. */
  readonly rows = new ByteWriter(1 << 20);
  rowCount = 0;
  /** Symbolic alternates and breakends of records that somebody carries: they give no rows. */
  symbolicCount = 0;
  /** Records of several samples without GT: nothing says whose they are, they give no rows. */
  withoutGenotypeCount = 0;

  readonly #settings: MappingSettings;
  readonly #line = new RecordLine();
  readonly #carriers: Carriers;
  readonly #values: InfoValues;
  readonly #frequencies: Frequencies;
  readonly #annotations: AnnotationList | undefined;
  readonly #choice: AnnotationChoice | undefined;
  readonly #annotationSlot: number;
  readonly #writers: WriteColumn[];
  readonly #context: RowContext;
  readonly #prefix = new ByteWriter(1 << 12);
  readonly #hash = new AlleleHash();
  #chromosome: Uint8Array = new Uint8Array();
  #chromosomeName: Uint8Array = new Uint8Array();
  #isTooLong = false;

  constructor(settings: MappingSettings) {
    this.#settings = settings;
    const { declared, layout } = settings;
    const wanted = new Set<string>([...Object.values(clinicalKeys).flat(), ...(layout ? [layout.key] : [])]);
    const keys = [...new Set([...declared.keys(), ...settings.seen])].filter(
      (key) => wanted.has(key) || infoFrequency(key),
    );
    const slots = new Map(keys.map((key, slot) => [key, slot]));
    const frequencies = keys.flatMap((key, slot) => {
      const field = infoFrequency(key);
      return field ? [{ ...field, slot, number: declared.get(key)?.number ?? '.' }] : [];
    });
    this.#carriers = new Carriers(settings.sampleCount);
    this.#frequencies = new Frequencies(frequencies, layout);
    this.#annotations = layout && new AnnotationList(layout);
    this.#choice = this.#annotations && new AnnotationChoice(this.#annotations);
    this.#annotationSlot = (layout && slots.get(layout.key)) ?? -1;
    this.#values = new InfoValues(keys, this.#annotationSlot);
    const hasFrequencies = frequencies.length + (layout?.frequencies.length ?? 0) > 0;
    const columns = rowColumns((key) => slots.get(key), hasFrequencies, layout);
    this.#writers = columns.map(([, write]) => write);
    this.#context = {
      line: this.#line,
      values: this.#values,
      frequencies: this.#frequencies,
      chosen: undefined,
      alternate: 1,
    };
    this.details = [
      ...['reference', 'alternate', 'allele_hash'],
      ...columns.map(([name]) => name),
      ...(layout ? ['gene'] : []),
      ...(settings.sampleCount > 0 ? ['sample', 'genotype'] : []),
    ];
  }

  /**
   * Adds the rows of one line, without its line end; false when the line is no record (`recordFault` says why) or when a row of it would be
   * longer than `rowBytesMax`.
   */
  map(bytes: Uint8Array, start: number, end: number): boolean {
    const { rowCount } = this;
    const { length } = this.rows;
    this.#isTooLong = false;
    if (!this.#map(bytes, start, end)) return false;
    if (!this.#isTooLong) return true;
    this.rows.length = length;
    this.rowCount = rowCount;
    return false;
  }

  #map(bytes: Uint8Array, start: number, end: number): boolean {
    const line = this.#line;
    if (!line.read(bytes, start, end) || !this.#readSamples()) return false;
    if (this.#settings.passOnly && !(line.is(6, 'PASS') || line.is(6, '.') || line.is(6, ''))) return true;
    if (this.#settings.sampleCount > 0 && this.#carriers.count === 0) {
      if (!this.#carriers.hasGenotypes) this.withoutGenotypeCount += 1;
      return true;
    }
    this.#values.read(line);
    const slot = this.#annotationSlot;
    if (slot >= 0)
      this.#annotations?.read(line, this.#values.starts[slot] as number, this.#values.ends[slot] as number);
    for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) this.#mapAlternate(alternate);
    return true;
  }

  #readSamples(): boolean {
    if (this.#settings.sampleCount > 0) return this.#carriers.read(this.#line);
    const { columnCount, end } = this.#line;
    return columnCount <= columnsBeforeSamples || this.#line.startOf(columnsBeforeSamples) === end;
  }

  #mapAlternate(alternate: number): void {
    const line = this.#line;
    if (!this.#isSequence(alternate) || !this.#isCarried(alternate)) return;
    this.#context.alternate = alternate;
    this.#choice?.choose(line, alternate);
    const chosen = this.#choice?.chosen ?? [];
    if (chosen.length === 0) this.#writeRows(alternate, -1);
    for (const place of chosen) this.#writeRows(alternate, place);
  }

  #isCarried(alternate: number): boolean {
    if (this.#settings.sampleCount === 0 || this.#line.alternateCount === 1) return true;
    for (let carrier = 0; carrier < this.#carriers.count; carrier += 1) {
      if (this.#carriers.carries(this.#line, carrier, alternate)) return true;
    }
    return false;
  }

  /** An alternate that equals the reference is no variant either. */
  #isSequence(alternate: number): boolean {
    const { bytes } = this.#line;
    const start = this.#line.alternateStarts[alternate - 1] as number;
    const end = this.#line.alternateEnds[alternate - 1] as number;
    for (let at = start; at < end; at += 1) {
      if (isLetter(bytes[at] as number)) continue;
      if (!unspecified.some((text) => equal(bytes, start, end, text))) this.symbolicCount += 1;
      return false;
    }
    const from = this.#line.startOf(3);
    if (this.#line.endOf(3) - from !== end - start) return true;
    for (let at = start; at < end; at += 1) {
      if (upperOf(bytes[at] as number) !== upperOf(bytes[from + at - start] as number)) return true;
    }
    return false;
  }

  /** One row per carrier: all but the last two fields are the same. */
  #writeRows(alternate: number, place: number): void {
    const line = this.#line;
    const annotations = this.#annotations;
    const prefix = this.#prefix;
    this.#context.chosen = undefined;
    if (annotations && place >= 0) {
      annotations.fields.read(
        line.bytes,
        annotations.starts[place] as number,
        this.#values.ends[this.#annotationSlot] as number,
      );
      this.#context.chosen = annotations.fields;
    }
    this.#frequencies.read(line.bytes, this.#values, this.#context.chosen, alternate, line.alternateCount);
    prefix.length = 0;
    this.#writeAllele(alternate);
    for (const write of this.#writers) {
      prefix.byte(unit);
      write(this.#context, prefix);
    }
    if (annotations) {
      prefix.byte(unit);
      if (place >= 0)
        prefix.slice(
          line.bytes,
          annotations.geneStarts[place] as number,
          annotations.geneEnds[place] as number,
        );
    }
    if (prefix.length > rowBytesMax) {
      this.#isTooLong = true;
      return;
    }
    if (this.#settings.sampleCount === 0) {
      prefix.byte(newline);
      this.rows.slice(prefix.bytes, 0, prefix.length);
      this.rowCount += 1;
      return;
    }
    prefix.byte(unit);
    for (let carrier = 0; carrier < this.#carriers.count; carrier += 1) {
      if (!this.#carriers.carries(line, carrier, alternate)) continue;
      this.rows.slice(prefix.bytes, 0, prefix.length);
      this.rows.number(this.#carriers.samples[carrier] as number);
      this.rows.byte(unit);
      this.#carriers.write(line, carrier, alternate, this.rows);
      this.rows.byte(newline);
      this.rowCount += 1;
    }
  }

  /**
   * Chromosome, position, reference, alternate and hash. The ends that both alleles share are cut, the end first, then the beginning, at least
   * one base stays. Nothing is shifted to the left: that needs the reference genome.
   */
  #writeAllele(alternate: number): void {
    const { bytes } = this.#line;
    let [from, to] = [this.#line.startOf(3), this.#line.endOf(3)];
    let [start, end] = [
      this.#line.alternateStarts[alternate - 1] as number,
      this.#line.alternateEnds[alternate - 1] as number,
    ];
    const same = (left: number, right: number): boolean =>
      upperOf(bytes[left] as number) === upperOf(bytes[right] as number);
    while (to - from > 1 && end - start > 1 && same(to - 1, end - 1)) {
      to -= 1;
      end -= 1;
    }
    let cut = 0;
    while (to - from > 1 && end - start > 1 && same(from, start)) {
      from += 1;
      start += 1;
      cut += 1;
    }
    const prefix = this.#prefix;
    this.#writeChromosome();
    prefix.byte(tab);
    if (cut === 0 && bytes[this.#line.startOf(1)] !== 48)
      prefix.slice(bytes, this.#line.startOf(1), this.#line.endOf(1));
    else prefix.number(Number(textOf(bytes, this.#line.startOf(1), this.#line.endOf(1))) + cut);
    prefix.byte(tab);
    prefix.upper(bytes, from, to);
    prefix.byte(unit);
    prefix.upper(bytes, start, end);
    this.#hash.start();
    this.#hash.add(prefix.bytes, 0, prefix.length);
    prefix.byte(unit);
    this.#hash.write(prefix);
  }

  #writeChromosome(): void {
    const [start, end] = [this.#line.startOf(0), this.#line.endOf(0)];
    if (!equal(this.#line.bytes, start, end, this.#chromosome)) {
      this.#chromosome = this.#line.bytes.slice(start, end);
      this.#chromosomeName = bytesOf(chromosomeName(textOf(this.#chromosome, 0, end - start)));
    }
    this.#prefix.slice(this.#chromosomeName, 0, this.#chromosomeName.length);
  }
}
