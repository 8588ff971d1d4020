export { BaiBuilder, baiPositionMax, type IndexedRecord } from './builder.ts';
export { isIndexOf } from './matches.ts';
