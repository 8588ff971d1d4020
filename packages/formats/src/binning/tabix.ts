import { textOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { BinningIndex } from './binning-index.ts';
import { IndexReader } from './index-reader.ts';

/** Content of a tabix index of a file whose lines are records. */
export interface TabixIndex {
  /** Sequences in their order in the file; their indexes are their numbers in `bins`. */
  names: string[];
  bins: BinningIndex;
}

/** `format` of a tabix index of VCF. */
export const vcfFormat = 2;

/** Reads an inflated tabix index of a VCF (the tabix specification). InputError when it is broken; memory is bounded by its size. */
export function readTabix(bytes: Uint8Array): TabixIndex {
  const reader = new IndexReader(bytes);
  reader.magic('TBI\x01', 'tabix');
  const references = reader.count(8, 'references');
  const format = reader.int32();
  if (format !== vcfFormat) throw new InputError('The tabix index does not belong to a VCF.');
  // Columns and comment character: those of VCF are constant.
  reader.bytes(5 * 4);
  const text = reader.bytes(reader.count(1, 'bytes of names'));
  const names = textOf(text, 0, text.length).split('\0').slice(0, -1);
  if (names.length !== references) {
    throw new InputError(`The tabix index has ${names.length} names for ${references} references.`);
  }
  return { names, bins: new BinningIndex(reader, references) };
}
