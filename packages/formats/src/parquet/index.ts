export {
  type ColumnPages,
  floatPages,
  numberPages,
  type ParquetType,
  rowsOfValueMax,
  samePages,
  sharedFloatPages,
  textPages,
} from './column-pages.ts';
export { NoParquet } from './compact-reader.ts';
export { Dictionary } from './dictionary.ts';
export { repeatedPages } from './distinct-numbers.ts';
export { type ColumnEnds, type Excerpt, excerptOf } from './excerpt.ts';
export { footerBytes, parquetTailBytes, rowsInFooter } from './footer.ts';
export {
  type Compress,
  type EncodedGroup,
  encodeGroup,
  type ParquetColumn,
  ParquetFile,
  type PlacedGroup,
  type WrittenGroup,
} from './parquet-file.ts';
export {
  type Cell,
  compareGroupKeys,
  type GroupKey,
  type Row,
  type SortedTableGroup,
  TableGroup,
} from './table-group.ts';
export { areEqual, compareWords, hashOf, roomOf, viewOf } from './words.ts';
export type { WrittenValues } from './written-values.ts';
