/** Why a record cannot be taken, in words for people; `column` counts from 1. Values are never repeated: they are health data. */
export class RecordFault extends Error {
  readonly column: number | undefined;

  constructor(reason: string, column?: number) {
    super(reason);
    this.name = 'RecordFault';
    this.column = column;
  }
}
