export {
  type OwnTableRequest,
  type PlannedColumn,
  planColumns,
  requireColumnCount,
  settleColumn,
} from './definition.ts';
export { KeyNotes } from './key-notes.ts';
export { ColumnSniffer, type Sniffed } from './sniffer.ts';
export { absentWords, type Kind, kindOf, typedValue } from './value.ts';
