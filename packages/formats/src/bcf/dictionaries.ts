import { InputError } from '../input-error.ts';

/** Names to which the numbers of records refer (VCF 4.3 §6.2.1). */
export interface BcfDictionaries {
  /** Filters and keys of INFO and FORMAT. */
  strings: readonly (string | undefined)[];
  contigs: readonly (string | undefined)[];
  sampleCount: number;
}

/** Reads the dictionaries from the text of a header. Numbers are those of `IDX`, else the order of the lines; PASS is 0. */
export function bcfDictionaries(text: string): BcfDictionaries {
  const strings: (string | undefined)[] = ['PASS'];
  const contigs: (string | undefined)[] = [];
  const known = new Set(['PASS']);
  let sampleCount: number | undefined;
  for (const line of text.split('\n')) {
    if (/^#CHROM\t/i.test(line)) sampleCount = Math.max(0, line.trimEnd().split('\t').length - 9);
    const kind = /^##(FILTER|INFO|FORMAT|contig)=</.exec(line)?.[1];
    const id = /[<,]ID=([^,>]*)/.exec(line)?.[1];
    if (kind === undefined || id === undefined) continue;
    const number = /,IDX=(\d{1,9})>\s*$/.exec(line)?.[1];
    const names = kind === 'contig' ? contigs : strings;
    if (number !== undefined && Number(number) < numbersMax) names[Number(number)] = id;
    else if (kind === 'contig') contigs.push(id);
    else if (!known.has(id)) strings.push(id);
    if (kind !== 'contig') known.add(id);
  }
  if (sampleCount === undefined) throw new InputError('The header of the BCF has no #CHROM line.');
  return { strings, contigs, sampleCount };
}

/** More names than any genome has contigs. */
const numbersMax = 1 << 24;
