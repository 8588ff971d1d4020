import { compareTexts, grown, textOf } from '../../bytes.ts';
import type { ParquetColumn } from '../../parquet/index.ts';
import {
  type ColumnPages,
  Dictionary,
  floatPages,
  numberPages,
  repeatedPages,
  rowsOfValueMax,
  samePages,
  sharedFloatPages,
  textPages,
} from '../../parquet/index.ts';
import { groupOfEffect } from '../effects.ts';
import { CallRows } from './calls/call-rows.ts';
import { dictionaryOf, EntryColumn } from './columns/entry-column.ts';
import { EntryFrequencies } from './columns/entry-frequencies.ts';
import { countRepeatedRows } from './repeated-rows.ts';
import { RowOrder } from './row-order.ts';

/** Rows of a group: the engine's default. */
export const groupRowsMax = 122_880;
/** Bytes of the texts of a group. */
const groupBytesMax = 32 << 20;
/** Key by which rows are sorted. */
interface RowKey {
  chromosome: Uint8Array;
  position: number;
}

/** A row group in the order of its keys. */
export interface SortedGroup {
  /** Columns in the order of the table, each valid until the next is requested. */
  columns: Iterable<ColumnPages>;
  /**
   * Columns of the same rows in `variant_call`, after those of `columns`, or the index of an equal one there; undefined if the
   * table is left out.
   */
  calls: Iterable<ColumnPages | number> | undefined;
  first: RowKey;
  last: RowKey;
  /** Rows whose allele, gene and sample another record has, too. */
  repeatedRowCount: number;
}

/** Values shared by all rows of a file. */
export interface FileConstants {
  /** Columns of the table to write: `variant`, or some of its columns. */
  columns: readonly ParquetColumn[];
  /** Columns of `variant_call`; undefined if it is left out. */
  callColumns?: readonly ParquetColumn[] | undefined;
  setId: string;
  sampleCount: number;
  /** Names of the samples in the lake; for a sites-only file one, or an empty list without a name. */
  sampleIds: readonly string[];
  /** FORMAT key with the filters of each genotype (FT), if the file has one. */
  sampleFilter?: string | undefined;
  /** INFO key with a filter for each alternate. */
  alleleFilter?: string | undefined;
}

export function compareKeys(left: RowKey, right: RowKey): number {
  return compareTexts(left.chromosome, right.chromosome) || left.position - right.position;
}

/**
 * Rows of `variant` until they form a row group. An entry is an alternate with a gene; it has a row for each of its carriers.
 * The common part of these is kept and checked once.
 */
export class VariantGroup {
  entryCount = 0;
  rowCount = 0;
  /** Bytes of the texts of all entries. */
  size = 0;
  readonly genotypes = new Dictionary();
  readonly frequencies = new EntryFrequencies();
  readonly calls = new CallRows();
  readonly #columns: ReadonlyMap<string, EntryColumn>;
  #positions: Float64Array = new Float64Array(1024);
  #rowCounts: Int32Array = new Int32Array(1024);
  #records: Int32Array = new Int32Array(1024);
  #samples: Int32Array = new Int32Array(1024);
  #genotypePlaces: Int32Array = new Int32Array(1024);
  readonly #constants: FileConstants;
  readonly #equals: ReadonlyMap<string, string>;
  readonly #sampleNames: Dictionary;

  /**
   * `names`: columns that are written for each entry. `equals`: columns of `variant` that equal one of `variant_call` in this
   * file, by the name of the latter.
   */
  constructor(names: readonly string[], constants: FileConstants, equals: ReadonlyMap<string, string>) {
    this.#constants = constants;
    this.#equals = equals;
    this.#sampleNames = dictionaryOf(constants.sampleIds);
    this.#columns = new Map(names.map((name) => [name, new EntryColumn()]));
  }

  get isFull(): boolean {
    return this.rowCount >= groupRowsMax || this.size > groupBytesMax;
  }

  column(name: string): EntryColumn {
    const column = this.#columns.get(name);
    if (!column) throw new Error(`The group has no column ${name}`);
    return column;
  }

  /** Adds a row of the current entry. `sample` counts from 1; 0 in files without samples. */
  addRow(sample: number, genotypePlace: number): void {
    if (this.rowCount === this.#samples.length) {
      this.#samples = grown(this.#samples);
      this.#genotypePlaces = grown(this.#genotypePlaces);
    }
    this.#samples[this.rowCount] = sample - 1;
    this.#genotypePlaces[this.rowCount] = genotypePlace;
    this.rowCount += 1;
  }

  /** Ends the entry whose columns were written and whose `rowCount` rows were added. `record`: number of its record. */
  addEntry(position: number, rowCount: number, size: number, record: number): void {
    this.size += size;
    if (this.entryCount === this.#rowCounts.length) {
      this.#rowCounts = grown(this.#rowCounts);
      this.#records = grown(this.#records);
      const positions = new Float64Array(this.#positions.length * 2);
      positions.set(this.#positions);
      this.#positions = positions;
    }
    this.#positions[this.entryCount] = position;
    this.#rowCounts[this.entryCount] = rowCount;
    this.#records[this.entryCount] = record;
    this.entryCount += 1;
  }

  /** Drops the entries and rows beyond these counts. */
  rewind(entryCount: number, rowCount: number): void {
    this.entryCount = entryCount;
    this.rowCount = rowCount;
  }

  /** Returns the content, at least one row; valid until `clear`. */
  sorted(): SortedGroup {
    const order = this.#order();
    const { columns, callColumns } = this.#constants;
    const placeOf = ({ name }: ParquetColumn): number => {
      const equal = this.#equals.get(name) ?? name;
      return columns.findIndex((column) => column.name === equal);
    };
    return {
      columns: columns.values().map((column) => this.#pages(column, order)),
      calls: callColumns?.values().map((column) => {
        const place = placeOf(column);
        return place < 0 ? this.#pages(column, order) : place;
      }),
      first: this.#keyOf(order.entryAt(0)),
      last: this.#keyOf(order.entryAt(this.entryCount - 1)),
      repeatedRowCount: this.#countRepeated(order),
    };
  }

  #countRepeated(order: RowOrder): number {
    const ids = this.#columns.get('variant_id');
    if (!ids) return 0;
    return countRepeatedRows({
      order,
      entryCount: this.entryCount,
      positions: this.#positions,
      chromosomes: this.column('chromosome').places,
      records: this.#records,
      ids,
      rowCounts: this.#rowCounts,
      samples: this.#samples,
    });
  }

  clear(): void {
    this.rewind(0, 0);
    this.size = 0;
    for (const { texts } of this.#columns.values()) texts.clear();
    this.genotypes.clear();
    this.calls.phaseSets.clear();
    this.calls.filters.clear();
  }

  #order(): RowOrder {
    const { texts, places } = this.column('chromosome');
    const positions = this.#positions;
    const names = Array.from({ length: texts.count }, (_, place) => place);
    names.sort((left, right) => compareTexts(texts.at(left), texts.at(right)));
    const ranks = new Int32Array(names.length);
    for (const [rank, place] of names.entries()) ranks[place] = rank;
    const rankOf = (entry: number): number => ranks[places[entry] as number] as number;
    return new RowOrder(
      this.entryCount,
      this.#rowCounts,
      this.rowCount,
      (left, right) =>
        rankOf(left) - rankOf(right) || (positions[left] as number) - (positions[right] as number),
    );
  }

  #keyOf(entry: number): RowKey {
    const { texts, places } = this.column('chromosome');
    return {
      chromosome: texts.at(places[entry] as number).slice(),
      position: this.#positions[entry] as number,
    };
  }

  #pages({ name, type }: ParquetColumn, order: RowOrder): ColumnPages {
    const { rowCount } = this;
    const { setId, sampleCount, sampleIds } = this.#constants;
    const pages = (texts: Dictionary, places: Int32Array) => textPages(type, texts, places, rowCount);
    switch (name) {
      case 'position':
        return numberPages(order.ofEntries(this.#positions));
      case 'variant_set_id':
        return samePages(setId, rowCount);
      case 'sample_id':
        if (sampleCount <= 1) return samePages(sampleIds[0], rowCount);
        return pages(this.#sampleNames, order.ofRows(this.#samples));
      case 'genotype':
        return pages(this.genotypes, order.ofRows(this.#genotypePlaces));
      case 'phase_set':
        return pages(this.calls.phaseSets, order.ofRows(this.calls.phasePlaces));
      case 'filter':
        if ((this.#constants.sampleFilter ?? this.#constants.alleleFilter) === undefined)
          return this.#ofEntries(name, type, order);
        return pages(this.calls.filters, order.ofRows(this.calls.filterPlaces));
      case 'ebcanon_group': {
        const classes = this.#columns.get('ebcanon_class');
        if (!classes) return samePages(undefined, rowCount);
        const groups = effectGroupsOf(classes, this.entryCount);
        return pages(groups.texts, order.ofEntries(groups.places));
      }
      default: {
        const numbers = this.calls.numbersOf(name);
        if (numbers) return repeatedPages(order.ofRows(numbers), type === 'int' ? type : 'float');
        const fractions = this.frequencies.of(name);
        if (fractions) return fractionPages(fractions, order, this.entryCount);
        return this.#ofEntries(name, type, order);
      }
    }
  }

  #ofEntries(name: string, type: ParquetColumn['type'], order: RowOrder): ColumnPages {
    const column = this.#columns.get(name);
    if (!column) return samePages(undefined, this.rowCount);
    return textPages(type, column.texts, order.ofEntries(column.places), this.rowCount);
  }
}

function fractionPages(values: Float64Array, order: RowOrder, entryCount: number): ColumnPages {
  if (order.rowCount < entryCount * rowsOfValueMax) return floatPages(order.ofEntries(values));
  const numbers = new Float64Array(entryCount);
  let count = 0;
  const places = new Int32Array(entryCount);
  for (let entry = 0; entry < entryCount; entry += 1) {
    const value = values[entry] as number;
    places[entry] = Number.isNaN(value) ? -1 : count;
    if (!Number.isNaN(value)) numbers[count++] = value;
  }
  return sharedFloatPages(numbers.subarray(0, count), order.ofEntries(places), order.rowCount);
}

function effectGroupsOf(classes: EntryColumn, entryCount: number): { texts: Dictionary; places: Int32Array } {
  const texts = new Dictionary();
  const groups = Int32Array.from({ length: classes.texts.count }, (_, place) => {
    const bytes = classes.texts.at(place);
    texts.begin().text(groupOfEffect.get(textOf(bytes, 0, bytes.length)) ?? '');
    return texts.end();
  });
  const places = classes.places
    .subarray(0, entryCount)
    .map((place) => (place < 0 ? place : (groups[place] as number)));
  return { texts, places };
}
