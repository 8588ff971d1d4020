export { BaiBuilder, baiPositionMax } from './builder.ts';
export { isIndexOf } from './matches.ts';
