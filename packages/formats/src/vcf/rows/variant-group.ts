import { compareBytes, grown, textOf } from '../../bytes.ts';
import { type ColumnPages, Dictionary, numberPages, textPages } from '../../parquet/index.ts';
import { type Column, tables } from '../../tables/index.ts';
import { groupOfEffect } from '../effects.ts';
import { dictionaryOf, EntryColumn } from './entry-column.ts';
import { RowOrder } from './row-order.ts';

/** By what rows are sorted. */
export interface RowKey {
  chromosome: Uint8Array;
  position: number;
}

/** A row group, ready to be compressed and written: its columns in the order of the table, its least and its greatest key. */
export interface EncodedGroup {
  rowCount: number;
  columns: ColumnPages[];
  first: RowKey;
  last: RowKey;
}

/** What is the same in all rows of a file. */
export interface FileConstants {
  setId: string;
  sampleCount: number;
  /** The samples' names in the lake; for a sites-only file one, or none when nobody named it. */
  sampleIds: readonly string[];
}

export function compareKeys(left: RowKey, right: RowKey): number {
  return compareBytes(left.chromosome, right.chromosome) || left.position - right.position;
}

/**
 * Rows of `variant` until they are a row group. An entry is an alternate with a gene; it has a row for each of its carriers, and what is
 * the same in these is kept and looked at once.
 */
export class VariantGroup {
  entryCount = 0;
  rowCount = 0;
  readonly genotypes = new Dictionary();
  readonly #columns: ReadonlyMap<string, EntryColumn>;
  #positions: Float64Array = new Float64Array(1024);
  #rowCounts: Int32Array = new Int32Array(1024);
  #samples: Int32Array = new Int32Array(1024);
  #genotypePlaces: Int32Array = new Int32Array(1024);
  readonly #constants: FileConstants;
  readonly #sampleNames: Dictionary;
  readonly #setName: Dictionary;

  /** `names`: the columns that are written for each entry. */
  constructor(names: readonly string[], constants: FileConstants) {
    this.#constants = constants;
    this.#sampleNames = dictionaryOf(constants.sampleIds);
    this.#setName = dictionaryOf([constants.setId]);
    this.#columns = new Map(names.map((name) => [name, new EntryColumn()]));
  }

  column(name: string): EntryColumn {
    const column = this.#columns.get(name);
    if (!column) throw new Error(`The group has no column ${name}`);
    return column;
  }

  /** Bytes of texts. */
  get size(): number {
    return this.#columns.values().reduce((sum, { texts }) => sum + texts.values.length, 0);
  }

  /** A row of the entry that is being written. `sample` counts from 1; 0 in files without samples. */
  addRow(sample: number, genotypePlace: number): void {
    if (this.rowCount === this.#samples.length) {
      this.#samples = grown(this.#samples);
      this.#genotypePlaces = grown(this.#genotypePlaces);
    }
    this.#samples[this.rowCount] = sample - 1;
    this.#genotypePlaces[this.rowCount] = genotypePlace;
    this.rowCount += 1;
  }

  /** Ends the entry whose columns were written and whose `rowCount` rows were added. */
  addEntry(position: number, rowCount: number): void {
    if (this.entryCount === this.#rowCounts.length) {
      this.#rowCounts = grown(this.#rowCounts);
      const positions = new Float64Array(this.#positions.length * 2);
      positions.set(this.#positions);
      this.#positions = positions;
    }
    this.#positions[this.entryCount] = position;
    this.#rowCounts[this.entryCount] = rowCount;
    this.entryCount += 1;
  }

  /** Forgets what was added after there were so many. */
  rewind(entryCount: number, rowCount: number): void {
    this.entryCount = entryCount;
    this.rowCount = rowCount;
  }

  /** Sorts and encodes what there is, at least one row, and begins anew. */
  encode(): EncodedGroup {
    const { rowCount, entryCount } = this;
    const order = this.#order();
    const columns = (tables.get('variant')?.columns ?? []).map((column) => this.#pages(column, order));
    const first = this.#keyOf(order.entryAt(0));
    const last = this.#keyOf(order.entryAt(entryCount - 1));
    this.entryCount = 0;
    this.rowCount = 0;
    for (const { texts } of this.#columns.values()) texts.clear();
    this.genotypes.clear();
    return { rowCount, columns, first, last };
  }

  #order(): RowOrder {
    const { texts, places } = this.column('chromosome');
    const positions = this.#positions;
    const names = Array.from({ length: texts.count }, (_, place) => place);
    names.sort((left, right) => compareBytes(texts.at(left), texts.at(right)));
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

  #pages({ name, type }: Column, order: RowOrder): ColumnPages {
    const { rowCount } = this;
    const pages = (texts: Dictionary, places: Int32Array) => textPages(type, texts, places, rowCount);
    const same = (texts: Dictionary) => pages(texts, new Int32Array(rowCount).fill(texts.count - 1));
    switch (name) {
      case 'position':
        return numberPages(order.ofEntries(this.#positions));
      case 'variant_set_id':
        return same(this.#setName);
      case 'sample_id':
        return this.#constants.sampleCount > 1
          ? pages(this.#sampleNames, order.ofRows(this.#samples))
          : same(this.#sampleNames);
      case 'genotype':
        return pages(this.genotypes, order.ofRows(this.#genotypePlaces));
      case 'ebcanon_group': {
        const classes = this.#columns.get('ebcanon_class');
        if (!classes) return same(none);
        const groups = effectGroupsOf(classes, this.entryCount);
        return pages(groups.texts, order.ofEntries(groups.places));
      }
      default: {
        const column = this.#columns.get(name);
        return column ? pages(column.texts, order.ofEntries(column.places)) : same(none);
      }
    }
  }
}

const none = new Dictionary();

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
