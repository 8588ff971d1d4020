import type { BamHeader, BamReference, ShortHeader } from '../bam/header.ts';
import { parseSamHeader, type SamHeader } from '../bam/sam-header.ts';
import { referencesMax } from '../binning/reference-names.ts';
import { InputError } from '../input-error.ts';
import { blockMethods, readContainer, readCramBlock } from './container.ts';
import { ShortCramError } from './numbers.ts';

/** Bytes of the file definition: magic, version, id (CRAM spec §6). */
export const definitionBytes = 26;
/** Maximum bytes of the header container, as of the header of a BAM. */
const headerBytesMax = 128 * 1024 * 1024;

/** Empty container that ends a file of version 3: without it the file was truncated (CRAM spec §9). */
export const endOfCram: Uint8Array = Uint8Array.from([
  0x0f, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xe0, 0x45, 0x4f, 0x46, 0, 0, 0, 0, 1, 0, 0x05, 0xbd, 0xd9,
  0x4f, 0, 1, 0, 6, 6, 1, 0, 1, 0, 1, 0, 0xee, 0x63, 1, 0x4b,
]);

/** Returns whether bytes start with the magic of CRAM. */
export function isCram(bytes: Uint8Array): boolean {
  return bytes[0] === 0x43 && bytes[1] === 0x52 && bytes[2] === 0x41 && bytes[3] === 0x4d;
}

/** Content of a CRAM before its first record; `size` counts bytes of the file. */
export interface CramHeader extends BamHeader {
  sam: SamHeader;
}

/** Decompresses a gzip block to at most `size` bytes. */
type Inflate = (data: Uint8Array, size: number) => Uint8Array;

/**
 * Reads the header from the first bytes of a CRAM; when they do not suffice, returns how many are needed. Throws `InputError`
 * for anything but a CRAM of version 3.
 */
export function readCramHeader(bytes: Uint8Array, inflate: Inflate): CramHeader | ShortHeader {
  if (bytes.length < definitionBytes) return { bytesNeeded: definitionBytes };
  if (!isCram(bytes)) throw new InputError('The file is not a CRAM.');
  const [major, minor] = [bytes[4], bytes[5]];
  if (major !== 3) {
    throw new InputError(
      `The CRAM has version ${major}.${minor}; 3.0 and 3.1 are supported. Convert it (samtools view -C), then ingest it.`,
    );
  }
  try {
    return headerOf(bytes, inflate);
  } catch (error) {
    if (!(error instanceof ShortCramError) || bytes.length >= headerBytesMax) throw error;
    return { bytesNeeded: bytes.length * 2 };
  }
}

function headerOf(bytes: Uint8Array, inflate: Inflate): CramHeader | ShortHeader {
  const container = readContainer(bytes.subarray(definitionBytes));
  const first = definitionBytes + container.headerBytes;
  const size = first + container.length;
  if (size > headerBytesMax) throw new InputError('The header of the CRAM is larger than 128 MiB.');
  if (bytes.length < size) return { bytesNeeded: size };
  const block = readCramBlock(bytes.subarray(0, size), first);
  const text = samText(contentOf(block, inflate));
  const sam = parseSamHeader(text);
  if (sam.sequences.length > referencesMax)
    throw new InputError(`The header lists more than ${referencesMax} sequences.`);
  return { text, sam, references: sam.sequences.map(referenceOf), size };
}

function contentOf({ method, data, size }: ReturnType<typeof readCramBlock>, inflate: Inflate): Uint8Array {
  if (method === blockMethods.raw) return data;
  if (method === blockMethods.gzip && size <= headerBytesMax) return inflate(data, size);
  throw new InputError('The header of the CRAM is compressed in a way that the format does not allow.');
}

function samText(content: Uint8Array): string {
  if (content.length < 4) throw new InputError('The header of the CRAM is damaged.');
  const length = new DataView(content.buffer, content.byteOffset).getInt32(0, true);
  if (length < 0 || length > content.length - 4) throw new InputError('The header of the CRAM is damaged.');
  return new TextDecoder().decode(content.subarray(4, 4 + length));
}

function referenceOf(tags: ReadonlyMap<string, string>): BamReference {
  const [name, length] = [tags.get('SN'), Number(tags.get('LN'))];
  if (!name || !Number.isSafeInteger(length) || length < 0)
    throw new InputError('A sequence of the header has no name or no length.');
  return { name, length };
}
