import { isBcf, readBcfHeader } from '@ploidy/formats/bcf';
import { referencesMax } from '@ploidy/formats/binning';
import { InputError } from '@ploidy/formats/input-error';
import type { HeaderReading } from './header.ts';

/** Maximum header size: headers of large cohorts have some megabytes. */
const headerBytesMax = 64 * 1024 * 1024;
const lineFeed = 10;
const hash = 35;

/** Finds the end of the header of a VCF or BCF, and the sequences it lists. InputError if the bytes are neither. */
export function readVariantsHeader(bytes: Uint8Array, isWhole: boolean): HeaderReading {
  if (!isBcf(bytes)) return readVcfHeader(bytes, isWhole);
  const header = readBcfHeader(bytes);
  if ('size' in header) {
    const references = header.contigs.filter((name) => name !== undefined);
    return { format: 'BCF', size: header.size, references };
  }
  if (isWhole) throw new InputError('The BCF ends within its header.');
  return header;
}

function readVcfHeader(bytes: Uint8Array, isWhole: boolean): HeaderReading {
  if (bytes.length > 0 && bytes[0] !== hash) {
    throw new InputError('The file is not a VCF with a header.');
  }
  let at = 0;
  while (bytes[at] === hash) {
    const end = bytes.indexOf(lineFeed, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  if (at === bytes.length && !isWhole) {
    if (at > headerBytesMax) throw new InputError('The header of the VCF is larger than 64 MiB.');
    return { bytesNeeded: at * 2 };
  }
  const text = new TextDecoder().decode(bytes.subarray(0, at));
  if (!text.startsWith('##fileformat=VCF'))
    throw new InputError('The file is not a VCF: its first line has no ##fileformat.');
  const references: string[] = [];
  for (const [, name = ''] of text.matchAll(/^##contig=<(?:[^>\n]*,)?ID=([^,>\n]+)/gm)) {
    if (references.push(name) > referencesMax)
      throw new InputError(`The header lists more than ${referencesMax} sequences.`);
  }
  return { format: 'VCF', size: at, references };
}
