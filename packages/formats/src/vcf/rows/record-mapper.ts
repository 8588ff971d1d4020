import { textOf } from '../../bytes.ts';
import { columnsBeforeSamples } from '../header.ts';
import { hasSupport, joinedFilters, passes, supportKeys } from '../support.ts';
import { Allele } from './alleles/allele.ts';
import { AlleleValues } from './alleles/allele-values.ts';
import { type AnnotationSource, annotationSources, nothing } from './annotations/annotation-source.ts';
import { CallNumbers, callNumbers } from './calls/call-numbers.ts';
import { SampleFields } from './calls/sample-fields.ts';
import { Carriers } from './carriers.ts';
import type { RowContext } from './columns/column-writer.ts';
import { infoSlots } from './info-slots.ts';
import { InfoValues } from './info-values.ts';
import { LineReader } from './line-reader.ts';
import type { MappingSettings } from './mapping-settings.ts';
import { RecordLine } from './record-line.ts';
import { VariantGroup } from './variant-group.ts';

const alternateDepthPlace = callNumbers.indexOf('alternate_depth');

/** Maximum bytes of a row: the engine takes whole rows into memory. */
const rowBytesMax = 2 << 20;

/** Rows of a group: the engine's default. */
const groupRowsMax = 122_880;
/** Bytes of the texts of a group. */
const groupBytesMax = 32 << 20;
/** Maximum number of small groups in a file. */
export const smallGroupsMax = 100;
/** A group with fewer rows goes on into the next chromosome, unless there were only a few of them. */
const groupRowsMin = 2048;

/** Records with rows, and those without by reason. Structural ones have rows elsewhere. */
export interface RecordAccount {
  withRows: number;
  /** No sample is called: `./.`. */
  uncalled: number;
  filtered: number;
  /** All samples have the reference. */
  reference: number;
  ownerless: number;
  structural: number;
  /** Records with rows that have a key of INFO. */
  info: ReadonlyMap<string, number>;
  /** Those of each FORMAT. */
  formats: ReadonlyMap<string, number>;
}

const noneLeft = () => ({ withRows: 0, uncalled: 0, filtered: 0, reference: 0, ownerless: 0, structural: 0 });

/** Maps lines of a VCF to row groups of `variant`. Pure, and on bytes for speed: objects are created for rare values only. */
export class RecordMapper {
  rowCount = 0;
  /** Records of sequences, of several samples without GT: nothing says whose they are, they give no rows. */
  withoutGenotypeCount = 0;
  /** Records whose QUAL is no number: it is NULL. */
  oddQualityCount = 0;
  /** Alternates that are the reference: they give no rows. */
  unchangedCount = 0;
  /** Rows of alleles that records of the same place repeat. */
  repeatedRowCount = 0;
  /** Row groups with few rows that chromosomes may still have of their own. */
  smallGroupsLeft = smallGroupsMax;

  readonly #settings: MappingSettings;
  readonly #line = new RecordLine();
  readonly #carriers: Carriers;
  /** Undefined if `variant_call` is left out. */
  readonly #calls: CallNumbers | undefined;
  readonly #evidence: CallNumbers;
  readonly #sampleFilter: SampleFields | undefined;
  /** Keys of INFO, by their slots. */
  readonly #keys: readonly string[];
  /** Keys of INFO that count what supports an alternate. */
  readonly #support: readonly string[];
  #left = noneLeft();
  /** First row of the alternate, -1 before. */
  #calledRow = -1;
  readonly #values: InfoValues;
  readonly #reader: LineReader;
  /** Values of the clinical keys; undefined if none has a value for each allele. */
  readonly #alleleValues: AlleleValues | undefined;
  readonly #sources: readonly AnnotationSource[];
  /** Source of the current record. */
  #source: AnnotationSource;
  readonly #context: RowContext;
  readonly #group: VariantGroup;
  readonly #allele = new Allele();
  #isTooLong = false;
  #recordCount = 0;
  #unclearValuesCount = 0;

  constructor(settings: MappingSettings) {
    this.#settings = settings;
    const { layouts, setId } = settings;
    const format = settings.format ?? new Map();
    this.#reader = new LineReader(layouts, format.has('LAD') && (format.has('LAA') || format.has('LA')));
    const { keys, others, slots, frequencies, alleleSlots } = infoSlots(settings);
    this.#carriers = new Carriers(settings.sampleCount, settings.tumor);
    const sources = annotationSources(layouts, { slotOf: (key) => slots.get(key), frequencies, setId });
    this.#sources = sources;
    this.#source = sources[0];
    this.#values = new InfoValues(keys, sources[0].slot, others);
    if (alleleSlots.length > 0) this.#alleleValues = new AlleleValues(alleleSlots, this.#values);
    const isSole = settings.sampleCount <= 1 && !settings.isSubset;
    const sole = isSole ? (key: string) => slots.get(key) : () => undefined;
    this.#evidence = new CallNumbers(this.#values, sole, format);
    if (settings.callColumns) this.#calls = this.#evidence;
    if (settings.sampleFilter !== undefined) this.#sampleFilter = new SampleFields([settings.sampleFilter]);
    this.#keys = [...keys, ...others];
    this.#support = supportKeys(settings.declared);
    const written = new Set([...settings.columns, ...(settings.callColumns ?? [])].map(({ name }) => name));
    // The groups of effects follow from their classes.
    if (written.has('ebcanon_group')) written.add('ebcanon_class');
    const names = new Set(sources.flatMap(({ columns }) => [...columns.keys()])).intersection(written);
    this.#context = {
      line: this.#line,
      values: this.#values,
      allele: this.#allele,
      chosen: undefined,
      gene: { start: 0, end: 0 },
      alternate: 1,
      isUnclear: false,
    };
    // VEP alone names the protein before its change.
    const equals = new Map(
      layouts.some(({ alleles }) => alleles === 'vep') ? [] : [['hgvs_p', 'amino_acid_change']],
    );
    for (const name of equals.keys()) names.delete(name);
    const group = new VariantGroup([...names], settings, equals);
    this.#group = group;
    for (const source of sources)
      source.writers = [...names].map((name) => ({
        column: group.column(name),
        ...(source.columns.get(name) ?? nothing),
      }));
  }

  /** Alternates for which annotations were left out, because nothing says whose they are. */
  get unclearCount(): number {
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

  /** The lines that follow are of this text, which stays as it is until `end`. */
  begin(text: Uint8Array): void {
    this.#reader.begin(text);
  }

  /** Gives the last row group; more may follow. */
  end(): void {
    this.#reader.end();
    if (this.#group.rowCount > 0) this.#endGroup();
  }

  #endGroup(): void {
    const group = this.#group.sorted();
    this.repeatedRowCount += group.repeatedRowCount;
    this.#settings.onGroup(group);
    this.#group.clear();
  }

  /**
   * Adds the rows of one line, without its line end; false when the line is no record (`recordFault` says why) or when a row of it would be
   * longer than `rowBytesMax`.
   */
  map(bytes: Uint8Array, start: number, end: number): boolean {
    const line = this.#line;
    if (!this.#reader.read(line, bytes, start, end) || !this.#readSamples()) return false;
    if (this.#settings.passOnly && !(line.is(6, 'PASS') || line.is(6, '.') || line.is(6, ''))) {
      this.#left.filtered += 1;
      return true;
    }
    const isStructural = !line.isPlain && line.isStructural();
    if (isStructural) this.#settings.onStructural(start, end);
    if (this.#settings.sampleCount > 0 && !this.#hasCarriers(isStructural)) return true;
    if (this.#allele.readChromosome(line)) this.#beginChromosome();
    else if (this.#group.rowCount >= groupRowsMax || this.#group.size > groupBytesMax) this.#endGroup();
    const { entryCount, rowCount } = this.#group;
    this.#isTooLong = false;
    this.#recordCount += 1;
    this.#mapRecord();
    if (!this.#isTooLong) this.#account(this.#group.rowCount > rowCount, isStructural);
    if (this.#isTooLong) this.#group.rewind(entryCount, rowCount);
    else this.rowCount += this.#group.rowCount - rowCount;
    return !this.#isTooLong;
  }

  #account(hasRows: boolean, isStructural: boolean): void {
    if (hasRows) this.#left.withRows += 1;
    else if (isStructural) this.#left.structural += 1;
    else this.#left.reference += 1;
  }

  /** Returns whether a record has rows; counts why it has none. */
  #hasCarriers(isStructural: boolean): boolean {
    const carriers = this.#carriers;
    const line = this.#line;
    if (carriers.count === 0 && carriers.hasGenotypes && !carriers.hasCalls && line.is(6, 'PASS'))
      this.#takeUncalled();
    const before = carriers.count;
    if (this.#sampleFilter && this.#settings.passOnly && before > 0) {
      this.#sampleFilter.read(line);
      carriers.keep((column) => !this.#failed(column));
    }
    if (carriers.count > 0) return true;
    if (isStructural) this.#left.structural += 1;
    else if (!carriers.hasGenotypes) {
      this.withoutGenotypeCount += 1;
      this.#left.ownerless += 1;
    } else if (before > 0) this.#left.filtered += 1;
    else if (carriers.hasCalls) this.#left.reference += 1;
    else this.#left.uncalled += 1;
    return false;
  }

  /** A caller that counted reads and does not genotype (`./.`) has called all the same where the record passed. */
  #takeUncalled(): void {
    const line = this.#line;
    const evidence = this.#evidence;
    this.#values.read(line);
    evidence.begin(line);
    const isOnly = this.#settings.sampleCount === 1;
    this.#carriers.takeUncalled((column) => {
      for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) {
        evidence.read(line, column, alternate);
        if ((evidence.values[alternateDepthPlace] as number) > 0) return true;
      }
      return isOnly && hasSupport(textOf(line.bytes, line.startOf(7), line.endOf(7)), this.#support);
    });
  }

  /** Returns whether the genotype of a sample failed its own filters. */
  #failed(column: number): boolean {
    const filter = this.#sampleFilter;
    if (!filter || column < 0) return false;
    filter.select(this.#line, column);
    return filter.has(0) && !passes(textOf(this.#line.bytes, filter.startOf(0), filter.endOf(0)));
  }

  /** What became of the records since the last call, and how many of those with rows have each key. */
  takeAccount(): RecordAccount {
    const counts = this.#values.takeCounts();
    const info = this.#keys.flatMap((name, slot): [string, number][] =>
      counts[slot] === 0 ? [] : [[name, counts[slot] as number]],
    );
    const account = { ...this.#left, info: new Map(info), formats: this.#evidence.takeFormatCounts() };
    this.#left = noneLeft();
    return account;
  }

  /** A chromosome with row groups of its own can be put in order without sorting. */
  #beginChromosome(): void {
    const { rowCount } = this.#group;
    if (rowCount === 0 || (rowCount < groupRowsMin && this.smallGroupsLeft === 0)) return;
    if (rowCount < groupRowsMin) this.smallGroupsLeft -= 1;
    this.#endGroup();
  }

  #mapRecord(): void {
    const line = this.#line;
    if (!line.hasSoundQuality()) this.oddQualityCount += 1;
    this.#values.read(line);
    this.#alleleValues?.read();
    this.#calls?.begin(line);
    if (this.#sources.length > 1) this.#chooseSource();
    const { slot, annotations } = this.#source;
    if (slot >= 0) {
      const start = this.#values.has(slot, line.bytes) ? (this.#values.starts[slot] as number) : -1;
      annotations?.read(line, start, this.#values.ends[slot] as number);
    }
    for (let alternate = 1; alternate <= line.alternateCount; alternate += 1) this.#mapAlternate(alternate);
  }

  /** The first whose annotations the record has. */
  #chooseSource(): void {
    const { bytes } = this.#line;
    this.#source = this.#sources[0] as AnnotationSource;
    for (const source of this.#sources) {
      if (!this.#values.has(source.slot, bytes)) continue;
      this.#source = source;
      break;
    }
  }

  #readSamples(): boolean {
    if (this.#settings.sitesOnly) return true;
    if (this.#settings.sampleCount > 0) return this.#carriers.read(this.#line);
    const { columnCount, end } = this.#line;
    return columnCount <= columnsBeforeSamples || this.#line.startOf(columnsBeforeSamples) === end;
  }

  #mapAlternate(alternate: number): void {
    const line = this.#line;
    if (!this.#isCarried(alternate)) return;
    if (line.isReference(alternate)) this.unchangedCount += 1;
    if (!line.isSequence(alternate)) return;
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
    const isUnclear = this.#context.isUnclear || this.#alleleValues?.isUnclear;
    if (isUnclear || this.#source.frequencies.isUnclear) this.#unclearValuesCount += 1;
  }

  #isCarried(alternate: number): boolean {
    if (this.#settings.sampleCount === 0 || this.#line.alternateCount === 1) return true;
    for (let carrier = 0; carrier < this.#carriers.count; carrier += 1) {
      if (this.#carriers.carries(this.#line, carrier, alternate)) return true;
    }
    return false;
  }

  /** An entry, with one row per carrier. */
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

  /** Rows of the carriers; how many. */
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
      this.#calls.read(this.#line, column, alternate);
      calls.set(rowCount, this.#calls);
      if (this.#sampleFilter) this.#takeFilter(column, rowCount);
    }
  }

  /** Writes FILTER joined with what the sample's genotype failed. */
  #takeFilter(column: number, row: number): void {
    const line = this.#line;
    const { filters, filterPlaces } = this.#group.calls;
    this.#sampleFilter?.read(line);
    const ofRecord = line.is(6, '.') ? '' : textOf(line.bytes, line.startOf(6), line.endOf(6));
    const filter = this.#sampleFilter;
    const ofSample =
      filter && this.#failed(column) ? textOf(line.bytes, filter.startOf(0), filter.endOf(0)) : '';
    filters.begin().text(joinedFilters(ofRecord, ofSample));
    filterPlaces[row] = filters.end();
  }
}
