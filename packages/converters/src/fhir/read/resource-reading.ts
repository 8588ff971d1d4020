import type { Coding, ElementSink, FullUrls, Reading } from '@ploidy/formats';
import type { SliceRows } from '../rows/slice-rows.ts';
import type { Place } from './place.ts';
import type { SourceNotes } from './source-notes.ts';

/** Context of the resource that is being read: its codings, its warnings, and what of it is in no column. */
export class ResourceReading implements Reading, ElementSink {
  readonly fullUrls: FullUrls;
  resourceType = '';
  hasExtended = false;
  readonly #rows: SliceRows;
  readonly #notes: SourceNotes;
  readonly #warn: (place: Place, message: string) => void;
  /** Paths with a warning or a count. */
  readonly #noted = new Set<string>();
  #place: Place = { line: 1, column: 1 };

  constructor(
    fullUrls: FullUrls,
    rows: SliceRows,
    notes: SourceNotes,
    warn: (place: Place, message: string) => void,
  ) {
    this.fullUrls = fullUrls;
    this.#rows = rows;
    this.#notes = notes;
    this.#warn = warn;
  }

  begin(type: string, place: Place, text: string): void {
    this.resourceType = type;
    // One character is found much faster than two.
    this.hasExtended = text.includes('_') && text.includes('"_');
    this.#place = place;
    this.#noted.clear();
  }

  coding(path: string, coding: Coding): void {
    this.#rows.coding(path, coding);
  }

  unreadable(path: string, expected: string): void {
    if (!this.#isNew(path)) return;
    this.#warn(this.#place, `${this.resourceType}.${path} is not ${expected}; it was left out`);
  }

  further(path: string, count: number): void {
    this.#notes.keep(`${this.resourceType}.${path}`, count, this.#place.line);
  }

  /** Counts a primitive without a value; two columns may read one. */
  unknown(path: string): void {
    const last = path.lastIndexOf('.') + 1;
    const name = `${path.slice(0, last)}_${path.slice(last)}`;
    if (this.#isNew(name)) this.further(name, 1);
  }

  #isNew(path: string): boolean {
    if (this.#noted.has(path)) return false;
    this.#noted.add(path);
    return true;
  }
}
