import { referencesMax } from '@ploidy/formats/binning';
import { InputError } from '@ploidy/formats/input-error';
import type { HeaderReading } from './header.ts';

/** More is no header of a real file: those of large cohorts have some megabytes. */
const headerBytesMax = 64 * 1024 * 1024;
const lineFeed = 10;
const hash = 35;

/** Finds where the header of a VCF ends in its first bytes, and which sequences it names. InputError for what is no VCF. */
export function readVcfHeader(bytes: Uint8Array, isWhole: boolean): HeaderReading {
  if (bytes.length > 0 && bytes[0] !== hash) {
    throw new InputError(
      'This is no VCF with a header. BCF is not given: convert it with bcftools view -Oz.',
    );
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
    throw new InputError('This is no VCF: it does not say so in its first line.');
  const references: string[] = [];
  for (const [, name = ''] of text.matchAll(/^##contig=<(?:[^>\n]*,)?ID=([^,>\n]+)/gm)) {
    if (references.push(name) > referencesMax)
      throw new InputError(`The header lists more than ${referencesMax} sequences.`);
  }
  return { size: at, references };
}
