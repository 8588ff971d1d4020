/** Reason why a record is refused, in words for people; `column` counts from 1. Values are never repeated: they are health data. */
export class RecordFault extends Error {
  readonly column: number | undefined;
  /** Set if the whole file is of another kind than assumed: skipping the record would leave wrong ones. */
  readonly isOfFile: boolean;

  constructor(reason: string, column?: number, { isOfFile = false } = {}) {
    super(reason);
    this.name = 'RecordFault';
    this.column = column;
    this.isOfFile = isOfFile;
  }
}
