import type { ShortHeader } from '../bam/header.ts';
import { textOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { bcfDictionaries } from './dictionaries.ts';

const magicBytes = 5;
const headerBytesMax = 64 << 20;

/** Content of a BCF before its first record. */
export interface BcfHeader {
  /** Names of the sequences by their numbers. */
  contigs: readonly (string | undefined)[];
  /** Inflated bytes. */
  size: number;
}

/** Reads the header from the first inflated bytes of a BCF; when they do not suffice, returns how many are needed. */
export function readBcfHeader(bytes: Uint8Array): BcfHeader | ShortHeader {
  const start = magicBytes + 4;
  if (bytes.length < start) return { bytesNeeded: start };
  const text = new DataView(bytes.buffer, bytes.byteOffset).getUint32(magicBytes, true);
  if (text > headerBytesMax) throw new InputError('The header of the BCF is longer than 64 MiB.');
  const size = start + text;
  if (bytes.length < size) return { bytesNeeded: size };
  const zero = bytes.subarray(start, size).indexOf(0);
  const { contigs } = bcfDictionaries(textOf(bytes, start, zero < 0 ? size : start + zero));
  return { contigs, size };
}
