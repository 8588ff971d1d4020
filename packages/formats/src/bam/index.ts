export { BlockPlaces, type ContentBlock } from './block-places.ts';
export * from './header.ts';
export { CoordinateOrder, requireDistinctNames, SequenceEnds } from './order.ts';
export { GroupCounter, type GroupCounts, type ReadCounts } from './read-counts.ts';
export * from './reads-summary.ts';
export { foreignFormat } from './recognise.ts';
export { BamRecord, recordBytesMax, recordFlags } from './record.ts';
export * from './sam-header.ts';
export { BamScan, type ScannedBam, type ScannedReads } from './scan.ts';
