/** Rows of `variant` and `variant_call` as `bcftools query` prints a file: a reader that shares no code with this one. */
import { printedBy } from '../../../../test/support/real-files.ts';

/** Values of a call, as text; undefined where this reader cannot know them. */
export type Call = Readonly<Record<string, string | undefined>>;

export interface PrintedFile {
  recordCount: number;
  /** Calls of an allele in a sample, by chromosome, position, reference, alternate and sample. A repeated record has several. */
  calls: Map<string, Call[]>;
}

const between = '\u001f';
const keys = ['GT', 'DP', 'GQ', 'AD', 'PS', 'FT'] as const;
/** Ambiguous bases of a reference count as the first one in the alphabet (VCF 4.3 §1.6.1). */
const first = new Map(
  'MA RA WA SC YC KG VA HA DA BC'.split(' ').map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
const concrete = (text: string): string =>
  text.toUpperCase().replaceAll(/[MRWSYKVHDB]/g, (code) => first.get(code) ?? code);

/** Reads a file; undefined where bcftools cannot, or where the header does not declare genotypes. */
export function printedFile(path: string): PrintedFile | undefined {
  const header = printedBy('bcftools', ['view', '-h', path]);
  const records = printedBy('bcftools', ['view', '-H', path]);
  if (header === undefined || records === undefined) return undefined;
  const samples = (/^#CHROM.*/m.exec(header)?.[0] ?? '').split('\t').slice(9);
  const declares = (key: string): boolean => header.includes(`##FORMAT=<ID=${key},`);
  if (samples.length > 0 && !declares('GT')) return undefined;
  const fields = ['%SAMPLE', ...keys.map((key) => (declares(key) ? `%${key}` : '.'))].join(between);
  const ofSamples = samples.length > 0 ? `[\\t${fields}]` : '';
  const format = `%CHROM\\t%POS\\t%REF\\t%ALT\\t%QUAL\\t%FILTER${ofSamples}\\n`;
  const printed = printedBy('bcftools', ['query', '-f', format, path]);
  if (printed === undefined) return undefined;
  const calls: PrintedFile['calls'] = new Map();
  for (const line of printed.split('\n').filter((text) => text !== ''))
    for (const [key, call] of callsOf(line)) calls.set(key, [...(calls.get(key) ?? []), call]);
  return { recordCount: records.split('\n').length - 1, calls };
}

function callsOf(line: string): [key: string, call: Call][] {
  const [chromosome = '', position, reference = '', alternates = '', quality, filter, ...samples] =
    line.split('\t');
  const alts = alternates.split(',');
  const from = concrete(reference);
  return alts.flatMap((alternate, index) => {
    const to = alternate.toUpperCase();
    if (!/^[A-Z]+$/.test(to) || to === from) return [];
    const allele = trimmed(Number(position), reference.toUpperCase(), to);
    const shared = { quality, filter };
    if (samples.length === 0) return [[keyOf(chromosome, allele, ''), shared] as [string, Call]];
    return samples.flatMap((text): [string, Call][] => {
      const [name = '', genotype = '', depth, genotypeQuality, depths = '', phaseSet, own] =
        text.split(between);
      if (!genotype.split(/[|/]/).includes(String(index + 1))) return [];
      const list = depths.split(',');
      const isOfAlleles = list.length === alts.length + 1;
      const call = {
        ...shared,
        genotype: recoded(genotype, index + 1, alts.length),
        depth,
        genotype_quality: genotypeQuality,
        reference_depth: isOfAlleles ? list[0] : '.',
        alternate_depth: isOfAlleles ? list[index + 1] : '.',
        phase_set: phaseSet,
        sample_filter: own,
      };
      return [[keyOf(chromosome, allele, name), call]];
    });
  });
}

const recoded = (genotype: string, alternate: number, count: number): string =>
  count === 1
    ? genotype
    : genotype.replaceAll(/\d+/g, (allele) => (Number(allele) === alternate ? '1' : '0'));

/** Names a row as these tests do. */
export function keyOf(chromosome: string, allele: readonly unknown[], sample: string): string {
  return [chromosome.replace(/^chr/i, '').replace(/^MT$/i, 'M'), ...allele, sample].join(' ');
}

/** Cuts common ends. A code in REF is the first of its bases, and the same code in an alternate is that base. */
function trimmed(site: number, from: string, to: string): [position: number, string, string] {
  let [position, reference, alternate] = [site, from, to];
  const isSame = (place: 0 | -1): boolean =>
    [reference.at(place), concrete(reference.at(place) ?? '')].includes(alternate.at(place));
  const isLong = (): boolean => reference.length > 1 && alternate.length > 1;
  while (isLong() && isSame(-1)) [reference, alternate] = [reference.slice(0, -1), alternate.slice(0, -1)];
  while (isLong() && isSame(0))
    [position, reference, alternate] = [position + 1, reference.slice(1), alternate.slice(1)];
  if (isSame(0)) alternate = concrete(alternate[0] ?? '') + alternate.slice(1);
  if (isSame(-1)) alternate = alternate.slice(0, -1) + concrete(alternate.at(-1) ?? '');
  return [position, concrete(reference), alternate];
}
