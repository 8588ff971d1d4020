import type { RecordFault } from '@ploidy/formats';

/** Receives the records of a source, in their order. Cells have the places of the titles. */
export interface RowTaker {
  row(cells: readonly (string | undefined)[], line: number): void;
  fault(fault: RecordFault, line: number): void;
}

/** Text file of records. It can be read several times. */
export interface RowSource {
  /** Titles of the columns; complete after the first reading. */
  readonly titles: readonly string[];
  /** Places of columns that the file itself declares to be text. */
  readonly textColumns: ReadonlySet<number>;
  /** `onRead`: receives the stored bytes read so far. */
  read(taker: RowTaker, onRead: (bytes: number) => void): Promise<void>;
}
