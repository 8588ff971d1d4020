import { annotationHeader } from './annotation.ts';
import { contigs } from './contigs.ts';
import { type Call, callOf, carrierGenotype, otherGenotype } from './genotype.ts';
import { contigRank, type KnownSite, knownSites } from './known-site.ts';
import { randomOf } from './random.ts';
import type { Site } from './site.ts';
import { simulatedSites } from './site-selection.ts';

/** A sample column of a VCF, with the genotypes of well-known variants of the patient's story. */
export interface Sample {
  name: string;
  isMale: boolean;
  known: ReadonlyMap<string, string>;
}

/** Parameters of a VCF. */
export interface VcfPlan {
  seed: number;
  samples: readonly Sample[];
  /** Records in all; the well-known variants of the samples are among them. */
  records: number;
  /** Probability that a sample carries a simulated variant. */
  carrierRate: number;
}

/** Counts of a generated VCF: `rows` counts sample × allele × gene, the grain of the table `variant`. */
export interface VcfTally {
  records: number;
  rows: number;
}

const headerLines = [
  '##source=PloidySampleGenerator',
  '##reference=GRCh38',
  '##FILTER=<ID=PASS,Description="All filters passed">',
  '##FILTER=<ID=LowQual,Description="Quality below the threshold">',
  '##FILTER=<ID=LowDepth,Description="Too few reads">',
  '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count of each alternate allele in the genotypes of this file">',
  '##INFO=<ID=AF,Number=A,Type=Float,Description="Share of each alternate allele in the genotypes of this file">',
  '##INFO=<ID=AN,Number=1,Type=Integer,Description="Count of called alleles in this file">',
  '##INFO=<ID=DP,Number=1,Type=Integer,Description="Reads of all samples">',
  '##INFO=<ID=gnomADg_AF,Number=A,Type=Float,Description="Allele frequency in gnomAD genomes">',
  '##INFO=<ID=gnomADg_AFR_AF,Number=A,Type=Float,Description="Allele frequency in gnomAD genomes, African">',
  '##INFO=<ID=gnomADg_EAS_AF,Number=A,Type=Float,Description="Allele frequency in gnomAD genomes, East Asian">',
  '##INFO=<ID=gnomADg_NFE_AF,Number=A,Type=Float,Description="Allele frequency in gnomAD genomes, non-Finnish European">',
  '##INFO=<ID=gnomADe_AF,Number=A,Type=Float,Description="Allele frequency in gnomAD exomes">',
  '##INFO=<ID=AF_EXAC,Number=1,Type=Float,Description="Allele frequency in ExAC">',
  '##INFO=<ID=AF_ESP,Number=1,Type=Float,Description="Allele frequency in GO-ESP">',
  '##INFO=<ID=AF_TGP,Number=1,Type=Float,Description="Allele frequency in the 1000 Genomes Project">',
  '##INFO=<ID=ALLELEID,Number=1,Type=Integer,Description="ClinVar allele id">',
  '##INFO=<ID=CLNDN,Number=.,Type=String,Description="ClinVar disease name">',
  '##INFO=<ID=CLNREVSTAT,Number=.,Type=String,Description="ClinVar review status">',
  '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="ClinVar clinical significance">',
  '##INFO=<ID=CLNVI,Number=.,Type=String,Description="Sources of the variant, as database:identifier">',
  '##INFO=<ID=RS,Number=.,Type=String,Description="dbSNP number">',
  annotationHeader,
  '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
  '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Reads of each allele">',
  '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Reads">',
  '##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="Quality of the genotype">',
  '##FORMAT=<ID=PL,Number=G,Type=Integer,Description="Phred-scaled likelihood of every possible genotype">',
  ...contigs.map(({ name, length }) => `##contig=<ID=${name},length=${length},assembly=GRCh38>`),
];

function header(samples: readonly Sample[]): string {
  const columns = '#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT'.split(' ');
  const names = samples.map(({ name }) => name);
  const version = samples.length > 1 ? 'VCFv4.3' : 'VCFv4.2';
  return `${[`##fileformat=${version}`, ...headerLines, [...columns, ...names].join('\t')].join('\n')}\n`;
}

/** Genotype of a well-known variant: that of the story, else by chance if it is a common one, else none. */
export function knownGenotype(seed: number, sample: Sample, site: KnownSite): string {
  const known = sample.known.get(site.name);
  if (known !== undefined || !site.isCommon) return known ?? '0/0';
  const random = randomOf(seed, sample.name, site.name);
  const allele = (): number => (random.chance(site.frequencies[0] ?? 0) ? 1 : 0);
  return `${allele()}/${allele()}`;
}

function simulatedCalls(plan: VcfPlan, site: Site): Call[] {
  const random = randomOf(plan.seed, site.chromosome, site.position, plan.samples[0]?.name ?? '');
  const certain = random.below(plan.samples.length);
  return plan.samples.map((sample, index) => {
    const isHaploid = sample.isMale && site.chromosome === 'chrX';
    // In a file of one sample a few records without the allele remain, as in files made with forced calling.
    const isCarrier =
      plan.samples.length === 1 ? random.chance(0.96) : index === certain || random.chance(plan.carrierRate);
    const genotype = isCarrier ? carrierGenotype(site, isHaploid, random) : otherGenotype(isHaploid, random);
    return callOf(genotype, site.alternates.length, random);
  });
}

function line(site: Site, calls: readonly Call[], tally: VcfTally): string {
  const counts = site.alternates.map(() => 0);
  let called = 0;
  let depth = 0;
  const columns: string[] = [];
  for (const call of calls) {
    depth += call.depth;
    columns.push(call.text);
    for (const [index, allele] of call.alleles.entries()) {
      if (allele >= 0) called += 1;
      if (allele <= 0) continue;
      counts[allele - 1] = (counts[allele - 1] ?? 0) + 1;
      if (call.alleles.indexOf(allele) === index) tally.rows += site.genesPerAlternate[allele - 1] ?? 0;
    }
  }
  tally.records += 1;
  const shares = counts.map((count) => (called === 0 ? 0 : Number((count / called).toPrecision(3))));
  const info = [
    `AC=${counts.join(',')}`,
    `AF=${shares.join(',')}`,
    `AN=${called}`,
    `DP=${depth}`,
    ...site.info,
  ];
  const { chromosome, position, id, reference, alternates, quality, filter, annotation } = site;
  const start = `${chromosome}\t${position}\t${id}\t${reference}\t${alternates.join(',')}\t${quality}\t${filter}`;
  return `${start}\t${info.join(';')};ANN=${annotation}\tGT:AD:DP:GQ:PL\t${columns.join('\t')}\n`;
}

/** Text of a VCF, header first, then one record after the other in the order of the genome; fills the tally on the way. */
export function* vcfLines(plan: VcfPlan, tally: VcfTally): Generator<string> {
  yield header(plan.samples);
  const known = knownSites
    .map((site) => ({
      site,
      genotypes: plan.samples.map((sample) => knownGenotype(plan.seed, sample, site)),
    }))
    .filter(
      ({ site, genotypes }) =>
        plan.samples.some((sample) => sample.known.has(site.name)) ||
        genotypes.some((text) => /[1-9]/.test(text)),
    );
  const knownLine = ({ site, genotypes }: (typeof known)[number]): string => {
    const random = randomOf(plan.seed, 'reads', site.name, plan.samples[0]?.name ?? '');
    return line(
      site,
      genotypes.map((genotype) => callOf(genotype, site.alternates.length, random)),
      tally,
    );
  };
  const file = plan.samples.map(({ name }) => name).join(' ');
  let next = 0;
  for (const site of simulatedSites(plan.seed, file, Math.max(0, plan.records - known.length))) {
    for (let entry = known[next]; entry !== undefined && isBefore(entry.site, site); entry = known[next]) {
      yield knownLine(entry);
      next += 1;
    }
    yield line(site, simulatedCalls(plan, site), tally);
  }
  for (const entry of known.slice(next)) yield knownLine(entry);
}

function isBefore(one: Site, other: Site): boolean {
  const difference = contigRank(one.chromosome) - contigRank(other.chromosome);
  return difference < 0 || (difference === 0 && one.position <= other.position);
}
