import type { RecordFault } from '@ploidy/formats';

/** Receives the records of a source, in their order. Cells have the indexes of the titles. */
export interface RowTaker {
  row(cells: readonly (string | undefined)[], line: number): void;
  fault(fault: RecordFault, line: number): void;
}

/** Text file of records. It can be read several times. */
export interface RowSource {
  /** Titles of the columns; complete after the first reading. */
  readonly titles: readonly string[];
  /** Indexes of columns that the file itself declares as text. */
  readonly textColumns: ReadonlySet<number>;
  /** `onRead`: receives the number of stored bytes read so far. */
  read(taker: RowTaker, onRead: (bytes: number) => void): Promise<void>;
}
