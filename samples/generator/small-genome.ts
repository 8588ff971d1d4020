import { reverseComplement } from './annotation.ts';
import { type GeneModel, geneModelLines } from './gene-models.ts';
import { type Random, randomOf } from './random.ts';

/** Invented chromosome with its gene models. */
export interface SmallGenome {
  chromosome: string;
  bases: string;
  genes: readonly GeneModel[];
  fasta: string;
  /** Gene models in the flavour of Ensembl. */
  gff3: string;
}

const letters = ['A', 'C', 'G', 'T'] as const;
const stops = ['TAA', 'TAG', 'TGA'];
const lineLength = 60;
/** Bases before the first and behind the last gene: more than count as beside it. */
const marginLength = 7000;

/**
 * Makes a chromosome with genes on both strands: one or several exons, untranslated ends, further transcripts, short introns, and
 * genes without a protein. Reading frames are sound, and introns begin with GT and end with AG.
 * `apart`: minimum bases between genes. `intronScale`: factor of the lengths of introns.
 */
export function smallGenome(
  seed: number,
  geneCount: number,
  { chromosome = 'chr1', apart = 200, intronScale = 1 } = {},
): SmallGenome {
  const random = randomOf(seed, 'genome', chromosome);
  const bases = new Chromosome(random);
  bases.extend(marginLength);
  const genes: GeneModel[] = [];
  for (let index = 0; index < geneCount; index += 1) {
    genes.push(geneAt(bases, index, chromosome, intronScale));
    bases.extend(apart + random.below(1300));
  }
  bases.extend(marginLength);
  const text = bases.text;
  const lines = text.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return {
    chromosome,
    bases: text,
    genes,
    fasta: `>${chromosome}\n${lines.join('\n')}\n`,
    gff3: [...geneModelLines(genes)].join(''),
  };
}

/** Bases under construction, read and written along a strand. */
class Chromosome {
  readonly random: Random;
  readonly #bases: string[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  get length(): number {
    return this.#bases.length;
  }

  get text(): string {
    return this.#bases.join('');
  }

  extend(count: number): void {
    for (let at = 0; at < count; at += 1) this.#bases.push(this.random.pick(letters));
  }

  read(positions: readonly number[], isReverse: boolean): string {
    const bases = positions.map((position) => this.#bases[position - 1] ?? 'N');
    return isReverse ? bases.map(reverseComplement).join('') : bases.join('');
  }

  write(positions: readonly number[], bases: string, isReverse: boolean): void {
    for (const [at, position] of positions.entries()) {
      const base = bases[at] ?? 'N';
      this.#bases[position - 1] = isReverse ? reverseComplement(base) : base;
    }
  }
}

function geneAt(bases: Chromosome, index: number, chromosome: string, intronScale: number): GeneModel {
  const { random } = bases;
  const isReverse = index % 2 === 1;
  const isCoding = index % 6 !== 5;
  const exonCount = index % 5 === 0 ? 1 : 2 + random.below(5);
  const exons: [number, number][] = [];
  let position = bases.length + 1;
  for (let exon = 0; exon < exonCount; exon += 1) {
    const length = 9 + random.below(212);
    exons.push([position, position + length - 1]);
    position += length + intronScale * (index % 7 === 3 ? 20 + random.below(21) : 30 + random.below(371));
  }
  const end = exons.at(-1)?.[1] ?? bases.length;
  bases.extend(end - bases.length);
  for (const [at, [, before]] of exons.slice(0, -1).entries()) {
    const after = exons[at + 1]?.[0] ?? end;
    const sites = [before + 1, before + 2, after - 2, after - 1];
    bases.write(isReverse ? sites.toReversed() : sites, 'GTAG', isReverse);
  }
  const spliced = exons.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  if (isReverse) spliced.reverse();
  const coding = isCoding ? writeCoding(bases, spliced, isReverse) : undefined;
  const whole = { id: `T${index}`, exons, coding };
  // Without its last exons the transcript makes no protein.
  const shorter =
    isCoding && exonCount > 2 ? [{ id: `T${index}.2`, exons: exons.slice(0, 2), coding: undefined }] : [];
  return {
    ...{ chromosome, id: `G${index}`, symbol: `SIMG${index}`, isReverse },
    biotype: isCoding ? 'protein_coding' : 'lincRNA',
    transcripts: [whole, ...shorter],
  };
}

/** Writes a sound reading frame; returns the range of coding bases along the transcript, from 0. */
function writeCoding(bases: Chromosome, spliced: readonly number[], isReverse: boolean): [number, number] {
  const { random } = bases;
  const start = random.below(Math.min(60, Math.floor(spliced.length / 4)) + 1);
  const codonsMax = Math.floor((spliced.length - start) / 3);
  const codons = Math.max(Math.min(3, codonsMax), codonsMax - random.below(Math.min(30, codonsMax)));
  const end = start + codons * 3;
  for (let at = start; at < end; at += 3) {
    const places = spliced.slice(at, at + 3);
    let codon = bases.read(places, isReverse);
    while (stops.includes(codon)) codon = Array.from({ length: 3 }, () => random.pick(letters)).join('');
    if (at === start) codon = 'ATG';
    else if (at + 3 === end) codon = random.pick(stops);
    bases.write(places, codon, isReverse);
  }
  return [start, end];
}

/** Allele of a record of a VCF, its common ends not cut. */
export interface TriedAllele {
  position: number;
  reference: string;
  alternate: string;
}

/** Makes substitutions, insertions, deletions and replacements at each base of a range, in the order of their positions. */
export function* triedAlleles(seed: number, bases: string, from: number, to: number): Generator<TriedAllele> {
  const random = randomOf(seed, 'tried');
  const any = (length: number): string => Array.from({ length }, () => random.pick(letters)).join('');
  for (let position = from; position <= to; position += 1) {
    const base = bases[position - 1] ?? 'N';
    const stretch = (length: number): string => bases.slice(position - 1, position - 1 + length);
    const alleles: [string, string][] = [[base, random.pick(letters.filter((other) => other !== base))]];
    if (random.chance(0.5)) alleles.push([stretch(2 + random.below(6)), base]);
    if (random.chance(0.5)) alleles.push([base, base + any(1 + random.below(6))]);
    if (random.chance(0.3)) {
      const length = 2 + random.below(3);
      alleles.push([stretch(length), any(length)]);
    }
    for (const [reference, alternate] of alleles)
      if (reference !== alternate) yield { position, reference, alternate };
  }
}

/** Substitution whose effect on the protein is known. */
export interface KnownChange extends TriedAllele {
  gene: string;
  transcript: string;
  term: 'missense_variant' | 'synonymous_variant' | 'stop_gained';
  /** HGVS: `p.Lys2Asn`, `p.Lys2=`. */
  protein: string;
}

/** Residues by codon, in the order of TCAG ("The Genetic Codes" of NCBI, 1). */
const residues = Array.from('FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG');
const names: Readonly<Record<string, string>> = {
  ...{ A: 'Ala', C: 'Cys', D: 'Asp', E: 'Glu', F: 'Phe', G: 'Gly', H: 'His', I: 'Ile', K: 'Lys', L: 'Leu' },
  ...{ M: 'Met', N: 'Asn', P: 'Pro', Q: 'Gln', R: 'Arg', S: 'Ser', T: 'Thr', V: 'Val', W: 'Trp', Y: 'Tyr' },
  '*': 'Ter',
};
const residueOf = (codon: string): string =>
  residues[Array.from(codon).reduce((sum, base) => sum * 4 + 'TCAG'.indexOf(base), 0)] ?? '*';

/** Substitutes the third base of codons, away from the edges of exons. Changes are in the order of the chromosome. */
export function knownChanges({ bases, genes }: SmallGenome): KnownChange[] {
  const found = genes.flatMap((gene) => {
    const [transcript] = gene.transcripts;
    if (!transcript?.coding) return [];
    const { exons, coding, id } = transcript;
    const isInside = (at: number): boolean => exons.some(([start, end]) => at >= start + 3 && at <= end - 3);
    const spliced = exons.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    if (gene.isReverse) spliced.reverse();
    const asRead = (base: string): string => (gene.isReverse ? reverseComplement(base) : base);
    const changes: KnownChange[] = [];
    for (let at = coding[0] + 3, codon = 2; at + 3 < coding[1]; at += 15, codon += 5) {
      const places = spliced.slice(at, at + 3);
      const position = places[2] ?? 0;
      if (!places.every(isInside)) continue;
      const before = places.map((place) => asRead(bases[place - 1] ?? 'N')).join('');
      for (const base of letters.filter((other) => other !== before[2])) {
        const [old, now] = [residueOf(before), residueOf(before.slice(0, 2) + base)];
        const term = old === now ? 'synonymous_variant' : now === '*' ? 'stop_gained' : 'missense_variant';
        const protein = `p.${names[old]}${codon}${old === now ? '=' : names[now]}`;
        const alleles = { position, reference: bases[position - 1] ?? 'N', alternate: asRead(base) };
        changes.push({ ...alleles, gene: gene.symbol, transcript: id, term, protein });
      }
    }
    return changes;
  });
  return found.sort((left, right) => left.position - right.position);
}
