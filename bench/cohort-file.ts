import { annotationHeader, annotationText } from '../samples/generator/annotation.ts';
import { type Random, randomOf } from '../samples/generator/random.ts';
import { cached } from './inputs.ts';

/** Samples of phase 3 of the 1000 Genomes Project, whose chromosome 22 the file resembles. */
export const cohortSamples = 2_504;
/** Records of that chromosome. */
export const cohortRecords = 1_100_000;
const haplotypes = 2 * cohortSamples;
/** Base positions between the first and the last record of that chromosome. */
const [firstPosition, lastPosition] = [16_050_075, 51_244_237];
const genes = 1_300;
/** Share of allele count c is c^-1.26: 145 carriers a record in the mean, and a quarter of the records with one. */
const rareness = 1.26;
/** Pairs of haplotypes that change places between two records: neighbouring records share carriers, distant ones do not. */
const swapsPerRecord = 4;

/** Name of a sample by its index. */
export const cohortSample = (index: number): string => `HG${String(index + 1).padStart(5, '0')}`;

/** Name of a gene by its index. */
export const cohortGene = (index: number): string => `GENE${index + 1}`;

/** Makes the VCF of a cohort (BGZF) with some records of the chromosome. `expectedRows`: carriers of all records. */
export async function cohortBenchFile(
  records: number,
): Promise<{ path: string; bytes: number; expectedRows: number }> {
  const { path, bytes, count } = await cached(`cohort-${records}x${cohortSamples}.vcf.gz`, 'bgzf', () => {
    const tally = { carriers: 0 };
    return { lines: cohortLines(records, tally), count: () => tally.carriers };
  });
  return { path, bytes, expectedRows: count };
}

function* cohortLines(records: number, tally: { carriers: number }): Generator<string> {
  yield header();
  const random = randomOf('cohort');
  const counts = countsByShare();
  const order = Uint16Array.from({ length: haplotypes }, (_, index) => index);
  const genotypes = Buffer.from(`${Array(cohortSamples).fill('0|0').join('\t')}\n`);
  for (let record = 0; record < records; record += 1) {
    for (let swap = 0; swap < swapsPerRecord; swap += 1) exchange(order, random);
    const count = alleleCount(counts, random.next());
    const start = random.below(haplotypes);
    const carriers = new Set<number>();
    const write = (digit: number) => {
      for (let at = start; at < start + count; at += 1) {
        const haplotype = order[at % haplotypes] ?? 0;
        genotypes[haplotype * 2] = digit;
        carriers.add(haplotype >> 1);
      }
    };
    write(0x31);
    yield `${siteText(record / records, count, random)}\t${genotypes.toString('latin1')}`;
    write(0x30);
    tally.carriers += carriers.size;
  }
}

function header(): string {
  const names = Array.from({ length: cohortSamples }, (_, index) => cohortSample(index));
  return [
    '##fileformat=VCFv4.2',
    '##reference=GRCh38',
    '##FILTER=<ID=PASS,Description="All filters passed">',
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count of the alternate allele">',
    '##INFO=<ID=AF,Number=A,Type=Float,Description="Frequency of the alternate allele">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="Count of called alleles">',
    annotationHeader,
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    '##contig=<ID=chr22,length=50818468,assembly=GRCh38>',
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${names.join('\t')}\n`,
  ].join('\n');
}

/** Columns of a record before the genotypes. `place`: share of the chromosome before it. */
function siteText(place: number, count: number, random: Random): string {
  const position = Math.floor(firstPosition + place * (lastPosition - firstPosition));
  const reference = random.pick(bases);
  const alternate = random.pick(bases.filter((base) => base !== reference));
  const gene = cohortGene(Math.floor(place * genes));
  const annotation = annotationText({
    alternate,
    consequence: 'intron_variant',
    impact: 'MODIFIER',
    gene,
    transcript: `ENST${gene.slice(4).padStart(11, '0')}`,
    biotype: 'protein_coding',
    codingChange: `c.100+${random.below(10_000)}${reference}>${alternate}`,
  });
  const share = Number((count / haplotypes).toPrecision(6));
  return `chr22\t${position}\t.\t${reference}\t${alternate}\t100\tPASS\tAC=${count};AF=${share};AN=${haplotypes};ANN=${annotation}\tGT`;
}

const bases = ['A', 'C', 'G', 'T'];

function exchange(order: Uint16Array, random: Random): void {
  const [one, other] = [random.below(haplotypes), random.below(haplotypes)];
  const kept = order[one] ?? 0;
  order[one] = order[other] ?? 0;
  order[other] = kept;
}

/** Cumulative shares of allele counts from 1. */
function countsByShare(): Float64Array {
  const sums = new Float64Array(haplotypes - 1);
  let sum = 0;
  for (let index = 0; index < sums.length; index += 1) {
    sum += (index + 1) ** -rareness;
    sums[index] = sum;
  }
  return sums.map((value) => value / sum);
}

/** Finds the allele count of a share by bisection. */
function alleleCount(sums: Float64Array, share: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 1) < share) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}
