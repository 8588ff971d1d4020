import { chromosomeName } from '../chromosomes.ts';
import { unspecifiedAlternates } from '../record.ts';
import type { StructuralRecord } from './structural-record.ts';

/** End of a joint of two places. `strand`: `-` when the sequence is read backwards there. */
export interface JointEnd {
  chromosome: string;
  position: number;
  strand: '+' | '-' | undefined;
}

/** Two places that follow each other in the sample, in reading order. */
export interface Joint {
  left: JointEnd;
  right: JointEnd;
}

/** Meaning of an alternate that is no sequence. */
export type StructuralAlternate =
  | { kind: 'copies'; change: 'loss' | 'gain' | undefined; copies: number | undefined }
  | { kind: 'joint'; joint: Joint; symbol: string | undefined }
  /** Alternate of no table: an insertion, an end without a partner, or something unknown. */
  | { kind: 'other' };

const unspecified = new Set<string>(unspecifiedAlternates);
const losses = new Set(['DEL', 'LOSS', 'HOMDEL', 'HETDEL']);
const gains = new Set(['DUP', 'GAIN', 'AMP', 'TANDEM', 'TDUP', 'IDUP']);
const joints = new Set(['INV', 'TRA', 'CTX', 'ITX', 'BND']);
/** Alternates without copies of their place: insertions, and repeats, whose CN is of their unit (VCF 4.4 §1.4.5). */
const ofOtherSequence = /^(?:INS|STR\d*|TR|CNV:TR|MEI)\b/;

/**
 * Reads the alternate at an index; undefined for a sequence, and for a placeholder of any other allele. Where a record claims
 * the junction alone, its alternate changes no copies.
 */
export function structuralAlternate(
  record: StructuralRecord,
  place: number,
): StructuralAlternate | undefined {
  const alternate = describedAlternate(record, place);
  return alternate?.kind === 'copies' && record.claimsJunction(place)
    ? { ...alternate, change: undefined }
    : alternate;
}

function describedAlternate(record: StructuralRecord, place: number): StructuralAlternate | undefined {
  const text = record.alternates[place] ?? '';
  if (/^[A-Za-z]+$/.test(text) || unspecified.has(text)) return undefined;
  const symbol = /^<(.+)>$/.exec(text)?.[1]?.toUpperCase();
  if (symbol === undefined) {
    const joint = breakendOf(record, text);
    return joint ? { kind: 'joint', joint, symbol: undefined } : { kind: 'other' };
  }
  if (ofOtherSequence.test(symbol)) return { kind: 'other' };
  const type = record.info('SVTYPE')?.toUpperCase();
  const bySymbol = symbolic(record, place, symbol);
  // `<CNV>` has no direction: SVTYPE may.
  const byType =
    bySymbol?.kind === 'copies' && bySymbol.change !== undefined ? undefined : symbolic(record, place, type);
  if (bySymbol?.kind === 'copies' && byType?.kind === 'copies')
    return { ...bySymbol, change: bySymbol.change ?? byType.change };
  // `<LOH>`, or a word of any program, with the copies of the sample.
  const isCounted = record.samples.some(({ copies }) => copies !== undefined);
  const counted = { kind: 'copies', change: undefined, copies: undefined } as const;
  return bySymbol ?? byType ?? (isCounted && !joints.has(symbol) ? counted : { kind: 'other' });
}

function symbolic(
  record: StructuralRecord,
  place: number,
  symbol: string | undefined,
): StructuralAlternate | undefined {
  const [type = '', subtype = ''] = symbol?.split(/[:_]/) ?? [];
  const joined = record.info('CHR2');
  const isElsewhere = joined !== undefined && chromosomeName(joined) !== record.chromosome;
  if (joints.has(type) || (isElsewhere && symbol !== undefined)) {
    const joint = namedJoint(record, place, type);
    return joint && { kind: 'joint', joint, symbol: type };
  }
  const copies = record.alleleCopies(place);
  if (losses.has(type)) return { kind: 'copies', change: 'loss', copies };
  if (gains.has(type)) return { kind: 'copies', change: 'gain', copies };
  // `<CN0>`, `<CN2>`: copies of one haplotype (1000 Genomes).
  const haplotype = /^CN(\d{1,4})$/.exec(type)?.[1];
  if (haplotype !== undefined) return changedTo(Number(haplotype));
  if (type !== 'CNV') return undefined;
  // `<CNV:CN2>`, `<CNV:DEL>`.
  const further = subtype === '' ? undefined : symbolic(record, place, subtype);
  return further?.kind === 'copies' ? further : changedTo(copies);
}

/** Reads an allele with this number of copies, where the reference has one. */
function changedTo(copies: number | undefined): StructuralAlternate {
  const change = copies === undefined || copies === 1 ? undefined : copies < 1 ? 'loss' : 'gain';
  return { kind: 'copies', change, copies };
}

/**
 * Reads an inversion or translocation whose other end is in INFO: CHR2, and POS2, END2 or END. An inversion on one chromosome
 * may have SVLEN only, which VCF 4.4 requires.
 */
function namedJoint(record: StructuralRecord, place: number, type: string): Joint | undefined {
  const chromosome = record.info('CHR2') ?? (type === 'INV' ? record.chromosome : undefined);
  const isInverted = type === 'INV' && chromosomeName(chromosome ?? '') === record.chromosome;
  const end = isInverted ? record.end(place) : record.infoNumber('END');
  const position = record.infoNumber('POS2') ?? record.infoNumber('END2') ?? end;
  if (chromosome === undefined || position === undefined) return undefined;
  const here = { chromosome: record.chromosome, position: record.position };
  const there = { chromosome: chromosomeName(chromosome), position };
  // DELLY: the joined ends; 3to5 reads both forwards.
  const ends = record.info('CT');
  if (ends === '3to5') return { left: { ...here, strand: '+' }, right: { ...there, strand: '+' } };
  if (ends === '5to3') return { left: { ...there, strand: '+' }, right: { ...here, strand: '+' } };
  if (ends === '3to3') return { left: { ...here, strand: '+' }, right: { ...there, strand: '-' } };
  if (ends === '5to5') return { left: { ...there, strand: '-' }, right: { ...here, strand: '+' } };
  return { left: { ...here, strand: undefined }, right: { ...there, strand: undefined } };
}

/** Reads `t[p[`, `t]p]`, `]p]t`, `[p[t` (VCF 4.3 §5.4). */
function breakendOf(record: StructuralRecord, text: string): Joint | undefined {
  const [, before = '', bracket = '', chromosome = '', position = '', after = ''] =
    /^([A-Za-z.]*)([[\]])<?(.+?)>?:(\d{1,15})[[\]]([A-Za-z.]*)$/.exec(text) ?? [];
  if (chromosome === '' || (before === '') === (after === '')) return undefined;
  const here = { chromosome: record.chromosome, position: record.position };
  const there = { chromosome: chromosomeName(chromosome), position: Number(position) };
  const isForward = bracket === '[';
  if (before !== '')
    return { left: { ...here, strand: '+' }, right: { ...there, strand: isForward ? '+' : '-' } };
  return { left: { ...there, strand: isForward ? '-' : '+' }, right: { ...here, strand: '+' } };
}
