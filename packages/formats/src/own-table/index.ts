export {
  type OwnTableRequest,
  planColumns,
  requireColumnCount,
  settleColumn,
} from './definition.ts';
export { ColumnSniffer } from './sniffer.ts';
export { absentWords, KeyNotes, type Kind, kindOf, typedValue } from './value.ts';
