import { type Coding, compareWords, type Identity, type RowSink, type Value, viewOf } from '@ploidy/formats';
import { tableOf } from '../file-tables.ts';
import { Places } from '../read/places.ts';
import { CellWriter } from './cells.ts';
import { Codings, codingLengthMax, type HeldCoding } from './codings.ts';
import { type KeyedRow, RowFile, type Section } from './row-file.ts';

/** The text of a resource as compact JSON. */
export interface DocumentText {
  text: string;
  /** Set if all its texts are printable ASCII. */
  isPlain: boolean;
  /** Set if the column `data` stays empty: the document is too large, or nested too deeply. */
  isLeftOut: boolean;
}

/** Resource whose rows are being added. */
interface StagedResource {
  identity: Identity;
  patientId: string | undefined;
  document: DocumentText;
  /** Number of the resource in its slice, from 1. */
  number: number;
}

/** Maximum size of a document in `data`: readers hold a row group in memory. */
export const dataLengthMax = 16 * 1024 * 1024;
/** Between the parts of a key; below all characters of ids. */
const keySeparator = 0x1f;
/** Greatest text of a key: sorts rows without a patient last. */
const noPatient = '\x7f';
const noText = 0xff;

/** Positions of the rows of one table. */
class TableRows {
  readonly keyStarts = new Places();
  readonly starts = new Places();
  readonly ends = new Places();
  /** Numbers of their resources. */
  readonly numbers = new Places();

  clear(): void {
    for (const places of [this.keyStarts, this.starts, this.ends, this.numbers]) places.clear();
  }
}

/** Rows of a slice until they are sorted and written to a file. */
export class SliceRows implements RowSink {
  readonly #cells = new CellWriter(1 << 20);
  readonly #tables = new Map<string, TableRows>();
  readonly #codings = new Codings();
  /** End of type, id and patient in each row of `_resource`. */
  readonly #holderEnds = new Places();
  #resource: StagedResource = {
    identity: { type: '', id: '', lastUpdated: undefined },
    patientId: undefined,
    document: { text: '', isPlain: false, isLeftOut: false },
    number: 0,
  };
  #medicationId: string | undefined;
  /** Table that has the document of the current resource in its last row. */
  #documented = '';
  /** Place of the first cell with that document; further ones are copies. */
  #documentStart = 0;
  #documentEnd = 0;
  /** Number of rows in tables that analysts see. */
  rows = 0;

  /** Begins the rows of a resource. */
  begin(resource: StagedResource): void {
    this.#resource = resource;
    this.#cells.isPlain = resource.document.isPlain;
    this.#medicationId = undefined;
    this.#documented = '';
    this.#documentEnd = 0;
  }

  /**
   * Notes that the current resource exists, or was removed. `decisive`: it counts as the newest version; `backwards`: of
   * equally new versions the earlier counts.
   */
  note({ deleted, decisive, backwards }: { deleted: boolean; decisive: boolean; backwards: boolean }): void {
    const { identity, patientId } = this.#resource;
    const rows = this.#start('_resource', identity.type, identity.id);
    this.#cellsOf(identity.type, identity.id, patientId);
    this.#holderEnds.push(this.#cells.length);
    this.#cellsOf(identity.lastUpdated, deleted, decisive || undefined, backwards || undefined);
    this.#end(rows);
  }

  row(table: string, values: Value[]): void {
    const { identity } = this.#resource;
    const { dataPlace, hasId } = tableOf(table);
    const rows = this.#start(table, values[0] ?? noPatient, hasId ? values[1] : '');
    const cells = this.#cells;
    for (let place = 0; place < values.length; place += 1) cells.cell(values[place]);
    this.#cellsOf(identity.type, identity.id, identity.lastUpdated);
    if (table === 'medication') cells.cell(this.#medicationId);
    if (dataPlace >= 0) this.#data(table);
    this.#end(rows);
    this.rows += 1;
  }

  /** Writes the document, into the first row of the resource in a table. */
  #data(table: string): void {
    const { text, isLeftOut } = this.#resource.document;
    const isFurther = table === this.#documented;
    this.#documented = table;
    const cells = this.#cells;
    if (isFurther || isLeftOut) cells.cell(undefined);
    else if (this.#documentEnd > 0) cells.slice(cells.bytes, this.#documentStart, this.#documentEnd);
    else {
      this.#documentStart = cells.length;
      cells.document(text);
      this.#documentEnd = cells.length;
    }
  }

  /** Takes a coding of the present resource. */
  coding(element: string, coding: Coding): void {
    this.#codings.add(element, coding, this.#holderEnds.length - 1);
  }

  sample(name: string, specimenId: string | undefined): void {
    const { identity, patientId } = this.#resource;
    if (name.length > codingLengthMax) return;
    const rows = this.#start('_sample_link', name, patientId ?? noPatient);
    this.#cellsOf(name, patientId, specimenId, identity.type, identity.id);
    this.#end(rows);
  }

  medicationOf(medicationId: string): void {
    this.#medicationId = medicationId;
  }

  medication(values: Value[]): void {
    const { identity } = this.#resource;
    const rows = this.#start('_medication', identity.id, '');
    this.#cellsOf(identity.type, identity.id, ...values);
    this.#end(rows);
  }

  #start(table: string, first: Value, second: Value): TableRows {
    let rows = this.#tables.get(table);
    if (!rows) {
      rows = new TableRows();
      this.#tables.set(table, rows);
    }
    const cells = this.#cells;
    rows.keyStarts.push(cells.length);
    cells.plain(String(first));
    cells.byte(keySeparator);
    cells.plain(String(second));
    rows.starts.push(cells.length);
    return rows;
  }

  #cellsOf(...values: Value[]): void {
    for (const value of values) this.#cells.cell(value);
  }

  #end(rows: TableRows): void {
    rows.ends.push(this.#cells.length);
    rows.numbers.push(this.#resource.number);
  }

  /** Writes all rows to a new file and clears them. `slice`: number of the slice in the source. */
  writeTo(path: string, slice: number): Section[] {
    const file = new RowFile(path);
    try {
      for (const [table, rows] of this.#tables) {
        file.begin(table);
        for (const row of this.#sorted(rows, slice)) file.add(row);
      }
      file.begin('coding');
      for (const row of this.#codingRows(slice)) file.add(row);
      return file.end();
    } finally {
      file.close();
      this.#clear();
    }
  }

  *#sorted(rows: TableRows, slice: number): Generator<KeyedRow> {
    const { keyStarts, starts, ends, numbers } = rows;
    const buffer = this.#cells.bytes;
    const view = viewOf(buffer);
    const order = Int32Array.from({ length: starts.length }, (_, index) => index);
    order.sort((a, b) => {
      const [left, right] = [keyStarts.at(a), keyStarts.at(b)];
      return compareWords(view, left, starts.at(a), view, right, starts.at(b)) || a - b;
    });
    const row: KeyedRow = {
      buffer,
      keyStart: 0,
      start: 0,
      end: 0,
      slice,
      number: 0,
      count: 1,
    };
    for (const index of order) {
      row.keyStart = keyStarts.at(index);
      row.start = starts.at(index);
      row.end = ends.at(index);
      row.number = numbers.at(index);
      yield row;
    }
  }

  /**
   * A row for each coding, by system and code: its columns, and then number, type, id and patient of each resource that has it. The
   * number of the slice ends the key, so that no two are equal.
   */
  *#codingRows(slice: number): Generator<KeyedRow> {
    const cells = this.#cells;
    cells.isPlain = false;
    const rows = new TableRows();
    const held = this.#codings.all();
    for (const [index, { element, system, code, display, userSelected, rank }] of held.entries()) {
      rows.keyStarts.push(cells.length);
      for (const part of [system, code, element, display, String(userSelected), String(rank)]) {
        if (part === '') cells.byte(noText);
        else cells.plain(part);
        cells.byte(keySeparator);
      }
      for (let bits = 24; bits >= 0; bits -= 8) cells.byte(slice >>> bits);
      rows.starts.push(cells.length);
      this.#cellsOf(element, system, code, display, userSelected, rank);
      rows.ends.push(cells.length);
      rows.numbers.push(index);
    }
    const resources = this.#tables.get('_resource') ?? new TableRows();
    const block = new CellWriter(1 << 12);
    for (const row of this.#sorted(rows, slice)) {
      const coding = held[row.number] as HeldCoding;
      block.length = 0;
      block.slice(row.buffer, row.keyStart, row.end);
      for (const holder of coding.holders) {
        block.uint32(resources.numbers.at(holder));
        block.slice(cells.bytes, resources.starts.at(holder), this.#holderEnds.at(holder));
      }
      const place = { keyStart: 0, start: row.start - row.keyStart, end: block.length, slice, number: 0 };
      yield { ...place, buffer: block.bytes, count: coding.holders.length };
    }
  }

  /** Frees the memory of the cells. The rows are not used again. */
  release(): void {
    this.#cells.release();
  }

  #clear(): void {
    this.#cells.length = 0;
    for (const rows of this.#tables.values()) rows.clear();
    this.#codings.clear();
    this.#holderEnds.clear();
    this.rows = 0;
  }
}
