import { BinningIndex } from './binning-index.ts';
import { IndexReader } from './index-reader.ts';

/** Reads a BAI index (SAMv1 §5.2). InputError when it is broken; memory is bounded by its size. */
export function readBai(bytes: Uint8Array): BinningIndex {
  const reader = new IndexReader(bytes);
  reader.magic('BAI\x01', 'BAI');
  return new BinningIndex(reader, reader.count(8, 'references'));
}
