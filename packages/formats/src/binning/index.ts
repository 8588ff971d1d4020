export { type BinningIndex, readBai } from './binning-index.ts';

export { type Chunk, joined } from './chunk.ts';
export { referenceNumber, referencesMax } from './reference-names.ts';
export { readTabix, type TabixIndex, vcfFormat } from './tabix.ts';
export { type RecordPlace, TabixBuilder } from './tabix-builder.ts';
