import { InputError } from '../input-error.ts';

/** Names to which the numbers of records refer (VCF 4.3 §6.2.1). */
export interface BcfDictionaries {
  /** Names of filters, and keys of INFO and FORMAT. */
  strings: readonly (string | undefined)[];
  contigs: readonly (string | undefined)[];
  sampleCount: number;
}

/**
 * Reads the dictionaries from the text of a header. Numbers are those of `IDX`, else the order of the lines, of which repeated ones count
 * once; PASS is 0.
 */
export function bcfDictionaries(text: string): BcfDictionaries {
  const strings: (string | undefined)[] = ['PASS'];
  const contigs: (string | undefined)[] = [];
  const known = { strings: new Set(['PASS']), contigs: new Set<string>() };
  let sampleCount: number | undefined;
  for (const line of text.split('\n')) {
    if (/^#CHROM\t/i.test(line)) sampleCount = Math.max(0, line.trimEnd().split('\t').length - 9);
    const kind = /^##(FILTER|INFO|FORMAT|contig)=</.exec(line)?.[1];
    if (kind === undefined) continue;
    const fields = line.replaceAll(quoted, (text) => (plain.test(text) ? text.slice(1, -1) : ''));
    const id = /[<,]ID=([^,>]*)/.exec(fields)?.[1];
    if (id === undefined) continue;
    const number = /[<,]IDX=(\d{1,9})[,>]/.exec(fields)?.[1];
    const [names, seen] = kind === 'contig' ? [contigs, known.contigs] : [strings, known.strings];
    if (number !== undefined && Number(number) < numbersMax) names[Number(number)] = id;
    else if (!seen.has(id)) names.push(id);
    seen.add(id);
  }
  if (sampleCount === undefined) throw new InputError('The header of the BCF has no #CHROM line.');
  return { strings, contigs, sampleCount };
}

/** Removes descriptions, which may hold anything, and quotes around values, as in `IDX="0"`. */
const quoted = /"(?:[^"\\]|\\.)*"?/gs;
const plain = /^"[^",<>\\]*"$/;

/** Maximum number of names, more than any genome has contigs. */
const numbersMax = 1 << 24;
