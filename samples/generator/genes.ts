import { contigs } from './contigs.ts';

/** A gene on GRCh38: 1-based, inclusive range; the length of its main protein in amino acids (0: not coding). */
export interface Gene {
  symbol: string;
  chromosome: string;
  start: number;
  end: number;
  strand: '+' | '-';
  transcript: string;
  aminoAcids: number;
}

/**
 * Genes that clinics test for in cancer, in inherited disease and before some medicines. Columns: symbol, chromosome, first and
 * last base, strand, RefSeq transcript (MANE Select where there is one), amino acids.
 */
const realGenes = `
MTHFR 1 11785723 11806455 - NM_005957.5 656
MTOR 1 11106535 11262551 - NM_004958.4 2549
ARID1A 1 26693236 26782104 + NM_006015.6 2285
PCSK9 1 55039548 55064852 + NM_174936.4 692
DPYD 1 97077743 97995000 - NM_000110.4 1025
NRAS 1 114704469 114716771 - NM_002524.5 189
CSDE1 1 114716913 114758676 - NM_001007553.3 798
F5 1 169511951 169586588 - NM_000130.5 2224
DNMT3A 2 25227855 25342590 - NM_022552.5 912
ALK 2 29192774 29921586 - NM_004304.5 1620
MSH2 2 47403067 47663146 + NM_000251.3 934
MSH6 2 47695530 47810063 + NM_000179.3 1360
IDH1 2 208236229 208266074 - NM_005896.4 414
BARD1 2 214725646 214809683 - NM_000465.4 777
VHL 3 10141778 10153667 + NM_000551.4 213
MLH1 3 36993350 37050846 + NM_000249.4 756
CTNNB1 3 41194741 41260096 + NM_001904.4 781
PIK3CA 3 179148114 179240093 + NM_006218.4 1068
FGFR3 4 1793293 1808872 + NM_000142.5 806
PDGFRA 4 54229280 54298245 + NM_006206.6 1089
KIT 4 54657267 54740783 + NM_000222.3 976
TET2 4 105145875 105279816 + NM_001127208.3 2002
TERT 5 1253147 1295068 - NM_198253.3 1132
APC 5 112707498 112846239 + NM_000038.6 2843
NPM1 5 171387116 171411810 + NM_002520.7 294
HFE 6 26087281 26098343 + NM_000410.4 348
EGFR 7 55019017 55211628 + NM_005228.5 1210
MET 7 116672196 116798377 + NM_000245.4 1390
CFTR 7 117480025 117668665 + NM_000492.4 1480
BRAF 7 140719327 140924929 - NM_004333.6 766
EZH2 7 148807257 148884321 - NM_004456.5 751
MYC 8 127735434 127742951 + NM_002467.6 454
JAK2 9 4984390 5129948 + NM_004972.4 1132
CDKN2A 9 21967752 21995301 - NM_000077.5 156
CDKN2B-AS1 9 21994778 22121097 + NR_003529.4 0
GNAQ 9 77716097 78031811 - NM_002072.5 359
ABL1 9 130713016 130887675 + NM_005157.6 1130
TSC1 9 132891348 132946874 - NM_000368.5 1164
NOTCH1 9 136494433 136546048 - NM_017617.5 2555
RET 10 43077064 43130351 + NM_020975.6 1114
PTEN 10 87862638 87971930 + NM_000314.8 403
CYP2C19 10 94762681 94855547 + NM_000769.4 490
FGFR2 10 121478332 121598458 - NM_000141.5 821
HBB 11 5225464 5227071 - NM_000518.5 147
F2 11 46719196 46739506 + NM_000506.5 622
ATM 11 108223044 108369102 + NM_000051.4 3056
KRAS 12 25205246 25250936 - NM_004985.5 188
CDK4 12 57747727 57756013 - NM_000075.4 303
ALDH2 12 111766887 111817532 + NM_000690.4 517
POLE 12 132623753 132687376 - NM_006231.4 2286
FLT3 13 28003274 28100592 - NM_004119.3 993
BRCA2 13 32315086 32400268 + NM_000059.4 3418
RB1 13 48303744 48599436 + NM_000321.3 928
SERPINA1 14 94376888 94390693 - NM_000295.5 418
MAP2K1 15 66386837 66491544 + NM_002755.4 393
IDH2 15 90083045 90102468 - NM_002168.4 452
TSC2 16 2047967 2089491 + NM_000548.5 1807
PALB2 16 23603160 23641310 - NM_024675.4 1186
VKORC1 16 31090842 31095980 - NM_024006.6 163
CDH1 16 68737292 68835537 + NM_004360.5 882
TP53 17 7668421 7687490 - NM_000546.6 393
WRAP53 17 7686071 7703502 + NM_018081.2 548
NF1 17 31094927 31382116 + NM_001042492.3 2839
ERBB2 17 39687914 39730426 + NM_004448.4 1255
BRCA1 17 43044295 43125364 - NM_007294.4 1863
RAD51C 17 58692573 58735611 + NM_058216.3 376
BRIP1 17 61679139 61863559 - NM_032043.3 1249
SMAD4 18 51028394 51085045 + NM_005359.6 552
STK11 19 1177558 1228431 + NM_000455.5 433
LDLR 19 11089463 11133820 + NM_000527.5 860
APOE 19 44905796 44909393 + NM_000041.4 317
RUNX1 21 34787801 36004667 - NM_001754.5 480
CHEK2 22 28687743 28742422 - NM_007194.4 543
AR X 67544021 67730619 + NM_000044.6 920`;

/** Simulated genes fill the rest of the chromosomes: one to a window, named so that they cannot be wrong for real ones. */
const windowLength = 150_000;

function parse(line: string): Gene {
  const [symbol = '', chromosome, start, end, strand, transcript = '', aminoAcids] = line.split(' ');
  return {
    symbol,
    chromosome: `chr${chromosome}`,
    start: Number(start),
    end: Number(end),
    strand: strand === '-' ? '-' : '+',
    transcript,
    aminoAcids: Number(aminoAcids),
  };
}

const real = realGenes.trim().split('\n').map(parse);

function simulatedGenes(): Gene[] {
  const found: Gene[] = [];
  for (const contig of contigs.filter(({ name }) => name !== 'chrY' && name !== 'chrM')) {
    const taken = real.filter((gene) => gene.chromosome === contig.name);
    for (let start = windowLength; start + windowLength < contig.length; start += windowLength) {
      const end = start + 24_000 + ((start / windowLength) % 7) * 6_000;
      // 5,000 bases on either side stay free: there SnpEff still calls a variant up- or downstream of the gene.
      if (taken.some((gene) => gene.start - 5_001 < end && gene.end + 5_001 > start)) continue;
      const number = String(found.length + 1).padStart(5, '0');
      const simulated = {
        symbol: `SIMG${number}`,
        transcript: `SIMT${number}.1`,
        aminoAcids: 300 + (start % 1_700),
      };
      const strand = found.length % 2 === 0 ? '+' : '-';
      found.push({ ...simulated, chromosome: contig.name, start, end, strand });
    }
  }
  return found;
}

const rank = new Map(contigs.map(({ name }, index) => [name, index]));

function inGenomeOrder(genes: readonly Gene[]): Gene[] {
  const contigRank = (gene: Gene): number => rank.get(gene.chromosome) ?? contigs.length;
  return genes.toSorted((one, other) => contigRank(one) - contigRank(other) || one.start - other.start);
}

/** A gene with its place in the order of the genome and the genes next to it. */
export interface PlacedGene extends Gene {
  index: number;
  isReal: boolean;
  /** First base that no gene before it holds: where sites of its own begin. */
  ownStart: number;
  neighbours: Gene[];
}

/** All genes, real and simulated, sorted by chromosome and position. */
export const genes: readonly PlacedGene[] = inGenomeOrder([...real, ...simulatedGenes()]).map(
  (gene, index, all) => {
    const sameContig = (other: Gene | undefined): Gene[] =>
      other !== undefined && other.chromosome === gene.chromosome ? [other] : [];
    const before = sameContig(all[index - 1]);
    return {
      ...gene,
      index,
      isReal: !gene.symbol.startsWith('SIMG'),
      ownStart: Math.max(gene.start, ...before.map(({ end }) => end + 1)),
      neighbours: [...before, ...sameContig(all[index + 1])],
    };
  },
);

const bySymbol = new Map(genes.map((gene) => [gene.symbol, gene]));

/** Returns the gene of that symbol. */
export function geneOf(symbol: string): PlacedGene {
  const gene = bySymbol.get(symbol);
  if (gene === undefined) throw new RangeError(`No gene ${symbol} in the table of the generator`);
  return gene;
}
