/** Transcript chosen for a gene by the gene set: the higher, the more trusted. */
const standings = ['', 'mane_plus_clinical', 'canonical', 'mane_select'] as const;

type Standing = (typeof standings)[number];

/** Transcript on its chromosome. Positions count from 1 and ends are inclusive; offsets count from 0 along the transcript. */
export interface Transcript {
  chromosome: string;
  id: string;
  proteinId: string;
  /** Symbol, else the id of the gene. */
  gene: string;
  biotype: string;
  standing: Standing;
  isReverse: boolean;
  /** Exons in the order of the chromosome. */
  exonStarts: Int32Array;
  exonEnds: Int32Array;
  /** Offset of the first coding base and of the base after the stop codon; equal in a non-coding transcript. */
  codingStart: number;
  codingEnd: number;
  /** Coding bases before the first whole codon. */
  phase: number;
  /** False if the coding sequence begins before the transcript, or ends after it. */
  hasStart: boolean;
  hasEnd: boolean;
  /** False if its bases or its reading frame differ from those of the genome: codons are unknown. */
  isExact: boolean;
  /** Genetic code (NCBI's number). */
  geneticCode: number;
  /** Positions of the first base of codons for selenocysteine, on the chromosome. */
  selenocysteines: readonly number[];
}

const ranges = (starts: Int32Array, ends: Int32Array): string =>
  Array.from(starts, (start, at) => `${start}-${ends[at]}`).join(',');

/** Writes a transcript as a line without its chromosome; `readTranscript` reads it. */
export function writeTranscript(one: Transcript): string {
  const flags = [one.isReverse, one.hasStart, one.hasEnd, one.isExact].map((is) => (is ? '1' : '0')).join('');
  const coding = [one.codingStart, one.codingEnd, one.phase, one.geneticCode].join(',');
  const exons = ranges(one.exonStarts, one.exonEnds);
  const names = [one.id, one.proteinId, one.gene, one.biotype, one.standing];
  return [...names, flags, coding, exons, one.selenocysteines.join(',')].join('|');
}

/** Reads a line of `writeTranscript`. */
export function readTranscript(chromosome: string, line: string): Transcript {
  const [id = '', proteinId = '', gene = '', biotype = '', standing = '', flags = '', coding = '', ...rest] =
    line.split('|');
  const [codingStart = 0, codingEnd = 0, phase = 0, geneticCode = 1] = coding.split(',').map(Number);
  const exons = (rest[0] ?? '').split(',').map((range) => range.split('-').map(Number));
  return {
    chromosome,
    id,
    proteinId,
    gene,
    biotype,
    standing: standings.find((known) => known === standing) ?? '',
    isReverse: flags[0] === '1',
    exonStarts: Int32Array.from(exons, ([start = 0]) => start),
    exonEnds: Int32Array.from(exons, ([, end = 0]) => end),
    codingStart,
    codingEnd,
    phase,
    hasStart: flags[1] === '1',
    hasEnd: flags[2] === '1',
    isExact: flags[3] === '1',
    geneticCode,
    selenocysteines: rest[1] ? rest[1].split(',').map(Number) : [],
  };
}

/** Returns the first base of a transcript on its chromosome. */
export function startOf({ exonStarts }: Transcript): number {
  return exonStarts[0] as number;
}

/** Returns the last base of a transcript on its chromosome. */
export function endOf({ exonEnds }: Transcript): number {
  return exonEnds[exonEnds.length - 1] as number;
}

/** Returns the number of bases of all exons. */
export function lengthOf({ exonStarts, exonEnds }: Transcript): number {
  return exonStarts.reduce((sum, start, at) => sum + (exonEnds[at] as number) - start + 1, 0);
}

/** Bases behind a range that are searched with it. */
const ahead = 20_000;

/** Transcripts of one chromosome, found by place. */
export class PlacedTranscripts {
  readonly #sorted: readonly Transcript[];
  readonly #starts: Int32Array;
  /** Greatest end of a transcript and all before it. */
  readonly #reach: Int32Array;
  /** Place of each transcript in the order of `compareTranscripts`. */
  readonly #ranks: Int32Array;
  /** Last range that was searched, with its transcripts and their ends. */
  #aroundStart = 0;
  #aroundEnd = -1;
  #around: readonly Transcript[] = [];
  #aroundStarts = new Int32Array();
  #aroundEnds = new Int32Array();

  constructor(transcripts: readonly Transcript[]) {
    const ranked = transcripts.toSorted(compareTranscripts).map((one, rank) => ({ one, rank }));
    const placed = ranked.sort((left, right) => startOf(left.one) - startOf(right.one));
    this.#sorted = placed.map(({ one }) => one);
    this.#ranks = Int32Array.from(placed, ({ rank }) => rank);
    this.#starts = Int32Array.from(this.#sorted, startOf);
    this.#reach = new Int32Array(this.#sorted.length);
    let reach = 0;
    for (const [at, one] of this.#sorted.entries()) {
      reach = Math.max(reach, endOf(one));
      this.#reach[at] = reach;
    }
  }

  /** Lists the transcripts that reach into a range, the best of a gene first (`compareTranscripts`). */
  within(start: number, end: number): Transcript[] {
    // Neighbouring ranges are asked one after the other: the transcripts around them are found once.
    if (start < this.#aroundStart || end > this.#aroundEnd) {
      this.#aroundStart = start;
      this.#aroundEnd = end + ahead;
      this.#around = this.#search(start, this.#aroundEnd);
      this.#aroundStarts = Int32Array.from(this.#around, startOf);
      this.#aroundEnds = Int32Array.from(this.#around, endOf);
    }
    const [starts, ends] = [this.#aroundStarts, this.#aroundEnds];
    const found: Transcript[] = [];
    for (let at = 0; at < starts.length; at += 1)
      if ((ends[at] as number) >= start && (starts[at] as number) <= end)
        found.push(this.#around[at] as Transcript);
    return found;
  }

  #search(start: number, end: number): Transcript[] {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) > end) high = middle;
      else low = middle + 1;
    }
    const found: number[] = [];
    for (let at = low - 1; at >= 0 && (this.#reach[at] as number) >= start; at -= 1)
      if (endOf(this.#sorted[at] as Transcript) >= start) found.push(at);
    const rank = (at: number): number => this.#ranks[at] as number;
    return found.sort((left, right) => rank(left) - rank(right)).map((at) => this.#sorted[at] as Transcript);
  }
}

/**
 * Orders the transcripts of a gene, the most trusted first: MANE Select, canonical, MANE Plus Clinical, others; then the longest
 * coding sequence, the most bases, and the id.
 */
export function compareTranscripts(left: Transcript, right: Transcript): number {
  const standing = standings.indexOf(right.standing) - standings.indexOf(left.standing);
  const coding = right.codingEnd - right.codingStart - (left.codingEnd - left.codingStart);
  return standing || coding || lengthOf(right) - lengthOf(left) || (left.id < right.id ? -1 : 1);
}
