import { residueOf, reverseComplement, translated } from './genetic-code.ts';
import { lengthOf, type PlacedTranscripts, type Transcript } from './transcript.ts';

/** Bases of a reference genome. */
export interface Bases {
  /** Upper-case bases of `[start, end]`, from 1 and inclusive, cut at the ends of the sequence; undefined for an unknown sequence. */
  read(chromosome: string, start: number, end: number): string | undefined;
}

/** Gene models and bases of a genome. */
export interface Genome {
  bases: Bases;
  /** Transcripts of a chromosome; undefined without any. */
  transcripts(chromosome: string): PlacedTranscripts | undefined;
}

/** Spliced sequence of a transcript, with its protein and the mapping of places. */
export class Spliced {
  readonly transcript: Transcript;
  readonly length: number;
  /** Offset of the first base (in the transcript) of each exon, by its number on the chromosome. */
  readonly #offsets: Int32Array;
  readonly #bases: Bases;
  #sequence: string | undefined;
  #protein: string | undefined;

  constructor(transcript: Transcript, bases: Bases) {
    this.transcript = transcript;
    this.#bases = bases;
    this.length = lengthOf(transcript);
    const { exonStarts, exonEnds, isReverse } = transcript;
    this.#offsets = new Int32Array(exonStarts.length);
    let before = 0;
    for (let at = 0; at < exonStarts.length; at += 1) {
      const size = (exonEnds[at] as number) - (exonStarts[at] as number) + 1;
      this.#offsets[at] = isReverse ? this.length - before - size : before;
      before += size;
    }
  }

  /** Offset of the first base of the first whole codon. */
  get frameStart(): number {
    return this.transcript.codingStart + this.transcript.phase;
  }

  /** Bases in the direction of the transcript; empty if the reference does not have all of them. */
  get sequence(): string {
    if (this.#sequence === undefined) {
      const { chromosome, exonStarts, exonEnds, isReverse } = this.transcript;
      let bases = '';
      for (let at = 0; at < exonStarts.length; at += 1)
        bases += this.#bases.read(chromosome, exonStarts[at] as number, exonEnds[at] as number) ?? '';
      this.#sequence = bases.length === this.length ? (isReverse ? reverseComplement(bases) : bases) : '';
    }
    return this.#sequence;
  }

  /** Residues of the whole codons, with the stop. */
  get protein(): string {
    if (this.#protein === undefined) {
      const { codingEnd, geneticCode, selenocysteines } = this.transcript;
      const residues = translated(this.sequence.slice(this.frameStart, codingEnd), geneticCode);
      const named = selenocysteines.map((one) => (this.offsetOf(one) - this.frameStart) / 3);
      const places = named.length > 0 ? named : this.#readThrough(residues);
      this.#protein = places.reduce(
        (protein, at) => (protein[at] === '*' ? `${protein.slice(0, at)}U${protein.slice(at + 1)}` : protein),
        residues,
      );
    }
    return this.#protein;
  }

  /** Lists the codons TGA within a protein: Ensembl does not name the places of selenocysteine. */
  #readThrough(residues: string): number[] {
    const { geneticCode, biotype } = this.transcript;
    if (geneticCode !== 1 || biotype !== 'protein_coding' || residues.indexOf('*') === residues.length - 1)
      return [];
    const places = Array.from(residues.slice(0, -1)).flatMap((residue, at) => (residue === '*' ? [at] : []));
    const codonAt = (place: number): string =>
      this.sequence.slice(this.frameStart + place * 3, this.frameStart + place * 3 + 3);
    return places.filter((place) => codonAt(place) === 'TGA');
  }

  /** Set if the last codon is a stop, so that its loss is known. */
  get hasStop(): boolean {
    return this.transcript.hasEnd && this.protein.endsWith('*');
  }

  /** Number on the chromosome of the first exon that ends at or after a position; the count of exons behind the last. */
  exonFrom(position: number): number {
    const { exonEnds } = this.transcript;
    let [low, high] = [0, exonEnds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((exonEnds[middle] as number) >= position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Offset of a base of an exon; -1 for another one. */
  offsetOf(position: number): number {
    const { exonStarts, exonEnds, isReverse } = this.transcript;
    const exon = this.exonFrom(position);
    const start = exonStarts[exon];
    if (start === undefined || start > position) return -1;
    const offset = this.#offsets[exon] as number;
    return isReverse ? offset + (exonEnds[exon] as number) - position : offset + position - start;
  }

  /** Offset of the base behind the last junction of exons; 0 with a single exon. */
  get lastJunction(): number {
    const { isReverse, exonStarts } = this.transcript;
    return this.#offsets[isReverse ? 0 : exonStarts.length - 1] as number;
  }

  /** Residue of a codon, read as selenocysteine where the transcript does. */
  residueAt(sequence: string, offset: number): string {
    return residueOf(sequence.slice(offset, offset + 3), this.transcript.geneticCode);
  }
}
