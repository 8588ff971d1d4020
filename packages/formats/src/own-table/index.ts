export { type OwnTableRequest, type PlannedColumn, planColumns, settleColumn } from './definition.ts';
export { ColumnSniffer, type Sniffed } from './sniffer.ts';
export { type Kind, kindOf, typedValue } from './value.ts';
