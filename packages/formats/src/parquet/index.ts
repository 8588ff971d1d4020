export { type ColumnPages, numberPages, samePages, textPages } from './column-pages.ts';
export { Dictionary } from './dictionary.ts';
export { type Compress, ParquetFile, type WrittenGroup } from './parquet-file.ts';
