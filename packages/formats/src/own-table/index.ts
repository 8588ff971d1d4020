export {
  type OwnTableRequest,
  type PlannedColumn,
  planColumns,
  requireColumnCount,
  settleColumn,
} from './definition.ts';
export { ColumnSniffer, type Sniffed } from './sniffer.ts';
export { absentWords, KeyNotes, type Kind, kindOf, typedValue } from './value.ts';
