export { type ColumnPages, numberPages, textPages } from './column-pages.ts';
export { Dictionary } from './dictionary.ts';
export { type Compress, ParquetFile, type WrittenGroup } from './parquet-file.ts';
