/** Why a record cannot be taken, in words for people; `column` counts from 1. Values are never repeated: they are health data. */
export class RecordFault extends Error {
  readonly column: number | undefined;
  /** Set if the whole file is of another kind than assumed: leaving out the record would leave the others wrong. */
  readonly isOfFile: boolean;

  constructor(reason: string, column?: number, { isOfFile = false } = {}) {
    super(reason);
    this.name = 'RecordFault';
    this.column = column;
    this.isOfFile = isOfFile;
  }
}
