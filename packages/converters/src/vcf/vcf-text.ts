import { BcfText, isBcf } from '@ploidy/formats';
import { readSource, type SourceReading } from '../decompressed-source.ts';

/** Returns whether a file, plain or compressed, is a BCF. */
export async function isBcfFile(path: string): Promise<boolean> {
  for await (const chunk of readSource(path, { chunkBytes: 64 })) return isBcf(chunk);
  return false;
}

/** Reads the text of a VCF, plain or gzipped, or of a BCF. Throws `InputError` for a damaged BCF. */
export async function* readVcfText(path: string, reading: SourceReading): AsyncGenerator<Buffer> {
  const bcf = (await isBcfFile(path)) ? new BcfText() : undefined;
  if (!bcf) return yield* readSource(path, reading);
  for await (const chunk of readSource(path, reading)) {
    const text = bcf.add(chunk);
    if (text.length > 0) yield Buffer.from(text);
  }
  bcf.end();
}
