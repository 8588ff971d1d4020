import { translated } from './genetic-code.ts';
import type { Spliced } from './spliced.ts';

/** Change of the spliced transcript: the bases of `[from, to)` are replaced. Offsets and bases have its direction. */
export interface SplicedChange {
  from: number;
  to: number;
  added: string;
}

/** Codons around a change, before and after it. */
interface Codons {
  /** Number of the first codon, from 0. */
  first: number;
  before: string;
  after: string;
  /** Residues, with `U` for selenocysteine. */
  residues: string;
  newResidues: string;
}

/** Returns the codons that a change within the coding sequence touches. */
export function codonsOf(spliced: Spliced, { from, to, added }: SplicedChange): Codons {
  const { sequence, frameStart, protein, transcript } = spliced;
  const first = Math.floor((from - frameStart) / 3);
  const start = frameStart + first * 3;
  const isBetween = from === to && (from - frameStart) % 3 === 0 && added.length % 3 === 0;
  const last = isBetween ? first : Math.floor((Math.max(from, to - 1) - frameStart) / 3) + 1;
  const end = Math.min(frameStart + last * 3, transcript.codingEnd);
  const before = sequence.slice(start, end);
  const after = sequence.slice(start, from) + added + sequence.slice(to, end);
  return {
    first,
    before,
    after,
    residues: protein.slice(first, last),
    newResidues: translated(after, transcript.geneticCode),
  };
}

/** Returns the terms of a change that touches coding bases within one exon, by the rules of Ensembl VEP. */
export function codingEffects(spliced: Spliced, change: SplicedChange): string[] {
  const { transcript, frameStart } = spliced;
  const { codingStart, codingEnd, hasStart } = transcript;
  const { from, to } = change;
  const isPure = from === to;
  if (isPure ? from <= codingStart : to <= codingStart) return ['5_prime_UTR_variant'];
  if (from >= codingEnd) return ['3_prime_UTR_variant'];
  const utrs = [
    ...(from < codingStart ? ['5_prime_UTR_variant'] : []),
    ...(to > codingEnd ? ['3_prime_UTR_variant'] : []),
  ];
  if (spliced.sequence === '' || !transcript.isExact) return ['coding_sequence_variant', ...utrs];
  if (hasStart && from < frameStart + 3) {
    if (!keepsStart(spliced, change)) return ['start_lost', ...utrs];
    if (from < codingStart || isPure) return ['start_retained_variant', ...utrs];
  }
  if (from < frameStart) return ['coding_sequence_variant', ...utrs];
  const wholeEnd = frameStart + Math.floor((codingEnd - frameStart) / 3) * 3;
  if (from >= wholeEnd) return ['incomplete_terminal_codon_variant', 'coding_sequence_variant', ...utrs];
  if (to > codingEnd) return beyondEnd(spliced, change, utrs);
  return withinCoding(spliced, change);
}

/** Returns whether the codon at the start still reads as before. */
function keepsStart({ sequence, frameStart }: Spliced, { from, to, added }: SplicedChange): boolean {
  const start = sequence.slice(frameStart, frameStart + 3);
  // Bases before the coding sequence keep their distance from the codons behind the change.
  if (from < frameStart) {
    const behind = added + sequence.slice(to);
    return (
      to <= frameStart + 3 &&
      (sequence.slice(0, from) + behind).slice(0, -(sequence.length - frameStart - 3)).endsWith(start)
    );
  }
  return (
    (sequence.slice(0, from) + added + sequence.slice(to, to + 3)).slice(frameStart, frameStart + 3) === start
  );
}

/** Returns the terms of a change over the end of the coding sequence: the stop is lost unless the same codon is one again. */
function beyondEnd(spliced: Spliced, { from, to, added }: SplicedChange, utrs: string[]): string[] {
  if (!spliced.hasStop) return ['coding_sequence_variant', ...utrs];
  const { sequence, frameStart, transcript } = spliced;
  const first = Math.floor((from - frameStart) / 3);
  const start = frameStart + first * 3;
  const behind = sequence.slice(start, from) + added + sequence.slice(to, to + 6);
  const stops =
    translated(behind, transcript.geneticCode).indexOf('*') === spliced.protein.length - 1 - first;
  return [stops ? 'stop_retained_variant' : 'stop_lost', ...utrs];
}

function withinCoding(spliced: Spliced, change: SplicedChange): string[] {
  const codons = codonsOf(spliced, change);
  const { residues, newResidues } = codons;
  const difference = change.added.length - (change.to - change.from);
  const stop = spliced.hasStop ? residues.indexOf('*') : -1;
  const newStop = newResidues.indexOf('*');
  // A stop at the end of codons with the old one is that one.
  const gains = newStop >= 0 && (stop < 0 || newStop < newResidues.length - 1) && newStop !== stop;
  if (difference % 3 !== 0) {
    if (stop >= 0 && keepsStop(spliced, change, codons)) return ['stop_retained_variant'];
    return [
      ...(gains ? ['stop_gained'] : []),
      'frameshift_variant',
      ...(stop >= 0 && newStop < 0 ? ['stop_lost'] : []),
    ];
  }
  // A base that is not known may make any residue.
  if (newResidues.includes('X') || residues.includes('X')) return ['coding_sequence_variant'];
  if (residues === newResidues) return [stop >= 0 ? 'stop_retained_variant' : 'synonymous_variant'];
  if (stop >= 0 && residues.slice(0, stop + 1) === newResidues.slice(0, newStop + 1))
    return ['stop_retained_variant'];
  const terms = lengthTerms(codons, difference);
  if (stop >= 0 && newStop < 0) return ['stop_lost', ...terms.filter((term) => term !== 'missense_variant')];
  if (gains)
    return [
      'stop_gained',
      ...terms.filter((term) => term === 'inframe_insertion' || term === 'inframe_deletion'),
    ];
  return terms;
}

function lengthTerms({ before, after, residues, newResidues }: Codons, difference: number): string[] {
  if (difference === 0) return ['missense_variant'];
  if (difference > 0) {
    const isInsertion = newResidues.startsWith(residues) || newResidues.endsWith(residues);
    return [isInsertion ? 'inframe_insertion' : 'protein_altering_variant'];
  }
  const isDeletion = before.startsWith(after) || before.endsWith(after);
  return [isDeletion ? 'inframe_deletion' : 'protein_altering_variant'];
}

/** Returns whether a shift of the frame leaves all residues up to the stop. */
function keepsStop(
  spliced: Spliced,
  { from, to, added }: SplicedChange,
  { first, residues }: Codons,
): boolean {
  const { sequence, frameStart, transcript } = spliced;
  const start = frameStart + first * 3;
  const size = (residues.indexOf('*') + 1) * 3;
  const after = (sequence.slice(start, from) + added + sequence.slice(to, to + size)).slice(0, size);
  return translated(after, transcript.geneticCode) === residues.slice(0, residues.indexOf('*') + 1);
}
