import { columnsBeforeSamples } from '../header.ts';
import { supportKeys } from '../support.ts';
import { Allele } from './alleles/allele.ts';
import { AlleleValues } from './alleles/allele-values.ts';
import {
  type AnnotationSource,
  annotationSources,
  openGroup,
  sourceOf,
} from './annotations/annotation-source.ts';
import { CallNumbers } from './calls/call-numbers.ts';
import type { RowContext } from './columns/column-writer.ts';
import { Carriers } from './genotypes.ts';
import { infoSlots } from './info-slots.ts';
import { InfoValues } from './info-values.ts';
import { LineReader } from './line-reader.ts';
import { MappingCounts } from './mapping-counts.ts';
import type { MappingSettings } from './mapping-settings.ts';
import { type RecordAccount, RecordCounts } from './record-account.ts';
import { RecordLine } from './record-line.ts';
import { readSupport, SampleFilter } from './sample-filter.ts';
import type { VariantGroup } from './variant-group.ts';

/** Maximum bytes of a row: the engine reads whole rows into memory. */
const rowBytesMax = 2 << 20;

/** Maximum number of small groups in a file. */
export const smallGroupsMax = 100;
/** Minimum rows of a chromosome's own group: smaller ones continue into the next chromosome, unless there were only a few. */
const groupRowsMin = 2048;

/** Maps lines of a VCF to row groups of `variant`. Pure, and on bytes for speed: objects are created for rare values only. */
export class RecordMapper {
  /** Counts of the lines since `begin`. */
  counts = new MappingCounts();
  /** Row groups with few rows that chromosomes may still have of their own. */
  smallGroupsLeft = smallGroupsMax;
  readonly #settings: MappingSettings;
  readonly #line = new RecordLine();
  readonly #carriers: Carriers;
  /** Undefined if `variant_call` is left out. */
  readonly #calls: CallNumbers | undefined;
  readonly #evidence: CallNumbers;
  readonly #sampleFilter: SampleFilter | undefined;
  readonly #keys: readonly string[];
  readonly #support: readonly string[];
  readonly #left = new RecordCounts();
  /** First row of the alternate, -1 before. */
  #calledRow = -1;
  readonly #values: InfoValues;
  readonly #reader: LineReader;
  /** Values of the clinical keys; undefined unless one has a value for each allele. */
  readonly #alleleValues: AlleleValues | undefined;
  readonly #sources: readonly [AnnotationSource, ...AnnotationSource[]];
  #source: AnnotationSource;
  readonly #context: RowContext;
  readonly #group: VariantGroup;
  readonly #allele: Allele;
  #isTooLong = false;
  #isFiltered = false;
  #recordCount = 0;
  #unclearValuesCount = 0;
  /** Alternates without annotations before `begin`. */
  #unclearBefore = 0;

  constructor(settings: MappingSettings) {
    this.#settings = settings;
    this.#allele = new Allele(settings.bases);
    const { layouts, setId, format = new Map() } = settings;
    this.#reader = new LineReader(settings);
    const { keys, others, slots, frequencies, alleleSlots } = infoSlots(settings);
    this.#carriers = new Carriers(settings.sampleCount, settings.tumor, format);
    this.#sources = annotationSources(layouts, { slotOf: (key) => slots.get(key), frequencies, setId });
    [this.#source] = this.#sources;
    this.#values = new InfoValues(keys, this.#source.slot, others);
    if (alleleSlots.length > 0) this.#alleleValues = new AlleleValues(alleleSlots, this.#values);
    const isSole = settings.sampleCount <= 1 && !settings.isSubset;
    this.#evidence = new CallNumbers(this.#values, (key) => (isSole ? slots.get(key) : undefined), format);
    if (settings.callColumns) this.#calls = this.#evidence;
    const { sampleFilter, alleleFilter } = settings;
    if (sampleFilter !== undefined || alleleFilter !== undefined)
      this.#sampleFilter = new SampleFilter(sampleFilter, this.#values, slots.get(alleleFilter ?? '') ?? -1);
    this.#keys = [...keys, ...others];
    this.#support = supportKeys(settings.declared);
    this.#context = {
      line: this.#line,
      values: this.#values,
      allele: this.#allele,
      chosen: undefined,
      gene: { start: 0, end: 0 },
      alternate: 1,
      isUnclear: false,
    };
    this.#group = openGroup(this.#sources, settings);
  }

  get #unclearCount(): number {
    const before = this.#reader.unclearCount + this.#unclearValuesCount;
    return this.#sources.reduce((sum, { choice }) => sum + (choice?.unclearCount ?? 0), before);
  }

  /** Builds of the accessions among the chromosomes so far. */
  get genomeBuilds(): Allele['genomeBuilds'] {
    return this.#allele.genomeBuilds;
  }

  /** Set if a chromosome is called 23 to 26, as by PLINK. */
  get hasNumberedSex(): boolean {
    return this.#allele.hasNumberedSex;
  }

  /** Sets the text of the following lines, which must not change until `end`. */
  begin(text: Uint8Array): void {
    this.counts = new MappingCounts();
    this.#unclearBefore = this.#unclearCount;
    this.#reader.begin(text);
  }

  /** Emits the last row group; more may follow. */
  end(): void {
    this.#reader.end();
    if (this.#group.rowCount > 0) this.#endGroup();
    this.counts.unclearCount = this.#unclearCount - this.#unclearBefore;
    const counts = [this.#reader.takeCounts(), this.#allele.takeCounts(), this.#evidence.takeCounts()];
    Object.assign(this.counts, ...counts);
  }

  #endGroup(): void {
    const group = this.#group.sorted();
    this.counts.repeatedRowCount += group.repeatedRowCount;
    this.#settings.onGroup(group);
    this.#group.clear();
  }

  /**
   * Adds the rows of one line, without its line end. False when the line is no record (`recordFault` has the reason), or when
   * one of its rows would exceed `rowBytesMax`.
   */
  map(bytes: Uint8Array, start: number, end: number): boolean {
    const line = this.#line;
    if (!this.#reader.read(line, bytes, start, end) || !this.#readSamples()) return false;
    if (this.#settings.passOnly && !(line.is(6, 'PASS') || line.is(6, '.') || line.is(6, ''))) {
      this.#left.counts.filtered += 1;
      return true;
    }
    const isStructural = !line.isPlain && line.isStructural();
    if (isStructural) this.#settings.onStructural(start, end);
    if (this.#settings.sampleCount > 0 && !this.#hasCarriers(isStructural)) return true;
    if (this.#allele.readChromosome(line) && !this.#settings.isOneGroup) this.#beginChromosome();
    else if (this.#group.isFull) this.#endGroup();
    const { entryCount, rowCount } = this.#group;
    this.#isTooLong = false;
    this.#isFiltered = false;
    this.#recordCount += 1;
    this.#mapRecord(isStructural);
    if (this.#isTooLong) this.#group.rewind(entryCount, rowCount);
    else this.#left.mapped(this.#group.rowCount > rowCount, isStructural, this.#isFiltered);
    this.counts.rowCount += this.#group.rowCount - rowCount;
    return !this.#isTooLong;
  }

  /** Counts why a record has no rows. */
  #hasCarriers(isStructural: boolean): boolean {
    const carriers = this.#carriers;
    const line = this.#line;
    if (carriers.isUngenotyped(line.is(6, 'PASS'))) {
      this.#values.read(line, false);
      this.#evidence.begin(line, !isStructural);
      readSupport(line, carriers, this.#evidence, this.#support);
    }
    const before = carriers.count;
    if (this.#settings.passOnly && before > 0) this.#sampleFilter?.keepPassed(line, carriers);
    return carriers.count > 0 || this.#left.without(carriers, before > 0, isStructural);
  }

  /** Accounts for the records since the last call, and how many of those with rows have each key. */
  takeAccount(): RecordAccount {
    return this.#left.take(this.#keys, this.#values.takeCounts(), this.#evidence.takeFormatCounts());
  }

  /** A chromosome with row groups of its own can be put in order without sorting. */
  #beginChromosome(): void {
    const { rowCount } = this.#group;
    if (rowCount === 0 || (rowCount < groupRowsMin && this.smallGroupsLeft === 0)) return;
    if (rowCount < groupRowsMin) this.smallGroupsLeft -= 1;
    this.#endGroup();
  }

  /** Maps a record. The keys of structural ones are counted with their rows. */
  #mapRecord(isStructural: boolean): void {
    const line = this.#line;
    if (!line.hasSoundQuality()) this.counts.oddQualityCount += 1;
    this.#values.read(line, !isStructural);
    this.#alleleValues?.read();
    this.#calls?.begin(line, !isStructural);
    if (this.#sources.length > 1) this.#source = sourceOf(this.#sources, this.#values, line.bytes);
    const { slot, annotations } = this.#source;
    if (slot >= 0) {
      const start = this.#values.has(slot, line.bytes) ? (this.#values.starts[slot] as number) : -1;
      annotations?.read(line, start, this.#values.ends[slot] as number);
    }
    for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) this.#mapAlternate(alternate);
  }

  #readSamples(): boolean {
    if (this.#settings.sitesOnly) return true;
    if (this.#settings.sampleCount > 0) return this.#carriers.read(this.#line);
    const { columnCount, end } = this.#line;
    return columnCount <= columnsBeforeSamples || this.#line.startOf(columnsBeforeSamples) === end;
  }

  #mapAlternate(alternate: number): void {
    const line = this.#line;
    if (!this.#carriers.someCarry(line, alternate)) return;
    if (line.isReference(alternate)) this.counts.unchangedCount += 1;
    if (!line.isSequence(alternate)) return;
    if (this.#settings.passOnly && this.#sampleFilter?.hasFailed(line, alternate)) {
      this.#isFiltered = true;
      return;
    }
    this.#context.alternate = alternate;
    this.#context.isUnclear = false;
    this.#alleleValues?.narrow(line.bytes, alternate, line.alternateCount);
    this.#allele.read(line, alternate);
    const { choice } = this.#source;
    choice?.choose(line, alternate);
    this.#calledRow = -1;
    if (!choice || choice.count === 0) this.#writeRows(alternate, -1);
    else if (this.#settings.sitesOnly) this.#writeRows(alternate, choice.chosen[0] as number);
    else
      for (let index = 0; index < choice.count; index += 1)
        this.#writeRows(alternate, choice.chosen[index] as number);
    if (this.#context.isUnclear || this.#alleleValues?.isUnclear || this.#source.frequencies.isUnclear)
      this.#unclearValuesCount += 1;
  }

  /** Adds an entry, with one row per carrier. */
  #writeRows(alternate: number, place: number): void {
    this.#readAnnotation(place);
    const { line, values, chosen } = this.#context;
    const { frequencies } = this.#source;
    frequencies.read(line.bytes, values, chosen, alternate, line.alternateCount);
    const group = this.#group;
    group.frequencies.set(group.entryCount, frequencies);
    let size = 0;
    const { present } = values;
    for (const { column, write, needs } of this.#source.writers) {
      const isAsked = needs === 0 || (needs & present) !== 0;
      const place = isAsked ? write(this.#context, column.texts) : -1;
      column.set(group.entryCount, place);
      if (place >= 0) size += column.texts.lastSize;
    }
    if (size > rowBytesMax) this.#isTooLong = true;
    else group.addEntry(this.#allele.position, this.#addRows(alternate), size, this.#recordCount);
  }

  #readAnnotation(place: number): void {
    const { annotations } = this.#source;
    const context = this.#context;
    context.chosen = undefined;
    context.gene.end = context.gene.start;
    if (!annotations || place < 0) return;
    annotations.fields.select(place);
    context.chosen = annotations.fields;
    context.gene.start = annotations.geneStarts[place] as number;
    context.gene.end = annotations.geneEnds[place] as number;
  }

  /** Adds the rows of the carriers; returns their number. */
  #addRows(alternate: number): number {
    const group = this.#group;
    const before = group.rowCount;
    if (this.#settings.sampleCount === 0) {
      this.#takeCalls(-1, alternate, before);
      group.addRow(0, -1);
    }
    const carriers = this.#carriers;
    for (let carrier = 0; carrier < carriers.count; carrier += 1) {
      if (!carriers.carries(this.#line, carrier, alternate)) continue;
      this.#takeCalls(carriers.columns[carrier] as number, alternate, before);
      const genotype = carriers.take(this.#line, carrier, alternate, group.genotypes);
      group.addRow(carriers.samples[carrier] as number, genotype);
    }
    if (this.#calledRow < 0) this.#calledRow = before;
    return group.rowCount - before;
  }

  /** Writes the calls of the next row, those of the first gene for all genes. `first`: row of the first carrier. */
  #takeCalls(column: number, alternate: number, first: number): void {
    const { calls, rowCount } = this.#group;
    if (!this.#calls) return;
    if (this.#calledRow >= 0) calls.repeat(rowCount, this.#calledRow + rowCount - first);
    else {
      calls.set(rowCount, this.#calls.stated(this.#line, column, alternate));
      if (this.#sampleFilter)
        calls.filterPlaces[rowCount] = this.#sampleFilter.take(this.#line, column, alternate, calls.filters);
    }
  }
}
