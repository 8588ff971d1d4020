import { aminoAcids } from '../vcf/foreign/amino-acids.ts';
import { codonsOf, type SplicedChange } from './coding-effect.ts';
import { residueOf } from './genetic-code.ts';
import type { Spliced } from './spliced.ts';

/** Change of the protein, and the new stop where the frame is shifted. */
export interface ProteinChange {
  /** HGVS as VEP writes it, without the name of the protein: `p.Leu268Pro`, `p.Thr21AlafsTer83`. */
  text: string;
  /** Offset in the old transcript of the base behind the codon that becomes the first stop; undefined without a new one. */
  stopBefore: number | undefined;
}

const name = (residue: string | undefined): string =>
  residue === 'X' ? 'Xaa' : (aminoAcids[residue ?? ''] ?? 'Xaa');
const names = (residues: string): string => Array.from(residues, name).join('');

/**
 * Returns the change of the protein by a change of coding bases whose first codon is whole. Undefined if it is not known: the
 * transcript ends before the protein does.
 */
export function proteinHgvs(spliced: Spliced, change: SplicedChange): ProteinChange | undefined {
  const difference = change.added.length - (change.to - change.from);
  const reachesBeyond = change.to > spliced.transcript.codingEnd;
  return difference % 3 === 0 && !reachesBeyond ? inFrame(spliced, change) : shiftedFrame(spliced, change);
}

/** The new reading frame, codon by codon from the first changed one. */
class NewFrame {
  readonly first: number;
  readonly #spliced: Spliced;
  readonly #change: SplicedChange;
  readonly #head: string;

  constructor(spliced: Spliced, change: SplicedChange) {
    this.#spliced = spliced;
    this.#change = change;
    this.first = Math.floor((change.from - spliced.frameStart) / 3);
    const start = spliced.frameStart + this.first * 3;
    this.#head = spliced.sequence.slice(start, change.from) + change.added;
  }

  /** Residue of a codon by its number in the new protein; undefined behind the transcript. */
  residue(number: number): string | undefined {
    const at = (number - this.first) * 3;
    const { sequence, transcript } = this.#spliced;
    const inHead = this.#head.slice(at, at + 3);
    const behind = this.#change.to + Math.max(0, at - this.#head.length);
    const codon = inHead + sequence.slice(behind, behind + 3 - inHead.length);
    return codon.length < 3 ? undefined : residueOf(codon, transcript.geneticCode);
  }

  /** Number of the first stop from a codon on; -1 without one, NaN if a codon before it is not known. */
  stopFrom(number: number): number {
    for (let at = number; ; at += 1) {
      const residue = this.residue(at);
      if (residue === undefined) return -1;
      if (residue === 'X') return Number.NaN;
      if (residue === '*') return at;
    }
  }

  /** Offset in the old transcript of the base behind a codon. */
  offsetBehind(number: number): number {
    return this.#change.to + Math.max(0, (number - this.first + 1) * 3 - this.#head.length);
  }
}

function shiftedFrame(spliced: Spliced, change: SplicedChange): ProteinChange | undefined {
  const frame = new NewFrame(spliced, change);
  const { protein } = spliced;
  let at = frame.first;
  while (at < protein.length && protein[at] !== '*' && frame.residue(at) === protein[at]) at += 1;
  const old = protein[at];
  const now = frame.residue(at);
  if (old === undefined || now === undefined) return undefined;
  if (old === now) return { text: `p.${name(old)}${at + 1}=`, stopBefore: undefined };
  const stop = frame.stopFrom(at);
  if (Number.isNaN(stop)) return undefined;
  const stopBefore = stop < 0 ? undefined : frame.offsetBehind(stop);
  if (old === '*') return { text: extension(at, now, stop), stopBefore: undefined };
  if (now === '*') return { text: `p.${name(old)}${at + 1}Ter`, stopBefore };
  const count = stop < 0 ? '?' : stop - at + 1;
  return { text: `p.${name(old)}${at + 1}${name(now)}fsTer${count}`, stopBefore };
}

/** A stop that becomes another residue: `p.Ter1258LeuextTer96`. */
const extension = (at: number, now: string, stop: number): string =>
  `p.Ter${at + 1}${name(now)}extTer${stop < 0 ? '?' : stop - at}`;

function inFrame(spliced: Spliced, change: SplicedChange): ProteinChange | undefined {
  const { protein } = spliced;
  const codons = codonsOf(spliced, change);
  const { residues, first } = codons;
  const stop = codons.newResidues.indexOf('*');
  const isCut = stop >= 0;
  const added = isCut ? codons.newResidues.slice(0, stop + 1) : codons.newResidues;
  if (residues === added) return { text: unchanged(residues, first), stopBefore: undefined };
  let at = 0;
  while (at < residues.length && at < added.length && residues[at] === added[at]) at += 1;
  let cut = 0;
  if (!isCut || residues.endsWith('*'))
    while (cut < Math.min(residues.length, added.length) - at && residues.at(-1 - cut) === added.at(-1 - cut))
      cut += 1;
  const old = residues.slice(at, residues.length - cut);
  const now = added.slice(at, added.length - cut);
  const place = first + at;
  const stopBefore = isCut && cut === 0 ? change.to : undefined;
  if (old.endsWith('*') && !isCut && spliced.hasStop) {
    const frame = new NewFrame(spliced, change);
    const [residue, last] = [frame.residue(place), frame.stopFrom(place)];
    if (old.length > 1 || residue === undefined || Number.isNaN(last)) return undefined;
    return { text: extension(place, residue, last), stopBefore: undefined };
  }
  if (now.startsWith('*') && old !== '') return { text: `p.${name(old[0])}${place + 1}Ter`, stopBefore };
  if (now === '') return { text: deletion(protein, place, old.length), stopBefore: undefined };
  if (old === '') return { text: insertion(protein, place, now), stopBefore };
  const range = rangeText(protein, place, old.length);
  return {
    text: old.length === 1 && now.length === 1 ? `p.${range}${name(now)}` : `p.${range}delins${names(now)}`,
    stopBefore,
  };
}

const unchanged = (residues: string, first: number): string =>
  residues.length > 1
    ? `p.${name(residues[0])}${first + 1}_${name(residues.at(-1))}${first + residues.length}=`
    : `p.${name(residues)}${first + 1}=`;

function rangeText(protein: string, place: number, size: number): string {
  const start = `${name(protein[place])}${place + 1}`;
  return size === 1 ? start : `${start}_${name(protein[place + size - 1])}${place + size}`;
}

/** Shifts removed residues towards the end of the protein. */
function deletion(protein: string, place: number, size: number): string {
  let at = place;
  while (at + size < protein.length && protein[at + size] === protein[at]) at += 1;
  return `p.${rangeText(protein, at, size)}del`;
}

/** Shifts added residues towards the end of the protein; a copy of those before is a duplication. */
function insertion(protein: string, place: number, residues: string): string {
  let [at, added] = [place, residues];
  while (!added.endsWith('*') && protein[at] !== undefined && protein[at] === added[0]) {
    added = added.slice(1) + added[0];
    at += 1;
  }
  const size = added.length;
  if (at >= size && protein.slice(at - size, at) === added)
    return `p.${rangeText(protein, at - size, size)}dup`;
  return `p.${name(protein[at - 1])}${at}_${name(protein[at])}${at + 1}ins${names(added)}`;
}
