import type { Shape } from '../../../api/lists.ts';

export type Answer = Shape<'StudyOncoprint'>;

/** Alterations of one gene, or of several that are shown as one, by the place of the subject. */
export interface GeneRow {
  name: string;
  genes: string[];
  /** Codes of the cells (docs/analytics.md); 0: not altered. */
  codes: Uint16Array;
  /** Sum of 1, profiled for mutations, 2, for copy numbers, and 4, for fusions. */
  profiled: Uint8Array;
  /** Altered subjects in ascending order, and the place in `changes` of each; −1: none. */
  altered: Uint16Array;
  changes: string[];
  changeOf: Int32Array;
}

/** Values of an attribute by the place of the subject. */
export interface TrackRow {
  attribute: string;
  values: { value: string; label: string | null }[];
  /** Place in `values`; −1 several, −2 beyond the list, −3 none. */
  codes: Int8Array;
  /** Numbers; NaN: none. */
  numbers: Float64Array;
  low: number;
  high: number;
}

/** Expression of a gene as distances from the mean in standard deviations; NaN: none. */
interface HeatRow {
  gene: string;
  unit: string;
  isLog: boolean;
  scores: Float32Array;
}

/** Everything that an oncoprint shows, by the places of the subjects. */
export interface Print {
  subjects: string[];
  patients: (string | null)[];
  genes: GeneRow[];
  tracks: TrackRow[];
  heats: HeatRow[];
  /** True if a source has judged which alterations are drivers. */
  hasJudgements: boolean;
}

/** Genes that are shown as one row. */
export interface Merged {
  name: string;
  genes: readonly string[];
}

export const noCode = -3;

/** Converts an answer of the service. `merged`: rows behind those of the genes. */
export function decodePrint(answer: Answer, merged: readonly Merged[] = []): Print {
  const { subjects, patients } = answer;
  const patterns = integersIn(answer.patternOf);
  const genes = answer.genes.map((gene, at) => decodeGene(gene, at, patterns, answer.patterns));
  const hasJudgements = genes.some(({ altered, codes }) =>
    altered.some((place) => isJudged(codes[place] ?? 0)),
  );
  const rows = merged.map(({ name, genes: members }) =>
    mergedRow(
      name,
      genes.filter((one) => members.includes(one.name)),
      subjects.length,
    ),
  );
  return {
    ...{ subjects, patients, genes: [...genes, ...rows], hasJudgements },
    tracks: answer.tracks.map(decodeTrack),
    heats: answer.expression.map(decodeHeat),
  };
}

/** Mutation, copy number and fusion of a code; 0: none. */
export const mutationIn = (code: number): number => code & 63;
export const copiesIn = (code: number): number => (code >> 6) & 31;
export const fusionIn = (code: number): number => code >> 11;

/** Judgements, as parts of codes have them. */
export const unjudged = 1;

function isJudged(code: number): boolean {
  const [mutation, copies, fusion] = [mutationIn(code), copiesIn(code), fusionIn(code)];
  return (
    (mutation > 0 && mutation >> 4 !== unjudged) ||
    (copies > 0 && (copies & 3) !== unjudged) ||
    (fusion > 0 && fusion - 1 !== unjudged)
  );
}

/** Reports whether a cell has an alteration of a kind that its subject is profiled for. */
export const counts = (code: number, profiled: number): boolean =>
  (mutationIn(code) > 0 && (profiled & 1) > 0) ||
  (copiesIn(code) > 0 && (profiled & 2) > 0) ||
  (fusionIn(code) > 0 && (profiled & 4) > 0);

function decodeGene(
  { gene, cells, changes, changeOf }: Answer['genes'][number],
  at: number,
  patternOf: Int32Array,
  patterns: readonly string[],
): GeneRow {
  const bytes = Uint8Array.from(atob(cells), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const digits = patterns.map((pattern) => Number(pattern[at] ?? 0));
  const codes = new Uint16Array(patternOf.length);
  const altered = new Uint16Array(bytes.length / 4);
  for (let cell = 0; cell < altered.length; cell++) {
    const place = view.getUint16(4 * cell);
    altered[cell] = place;
    codes[place] = view.getUint16(4 * cell + 2);
  }
  const profiled = Uint8Array.from(patternOf, (pattern) => digits[pattern] ?? 0);
  return { name: gene, genes: [gene], codes, profiled, altered, changes, changeOf: integersIn(changeOf, -1) };
}

/** Joins genes: each part of a cell is the strongest of theirs. */
function mergedRow(name: string, rows: readonly GeneRow[], length: number): GeneRow {
  const codes = new Uint16Array(length);
  const profiled = new Uint8Array(length);
  for (const row of rows)
    for (let place = 0; place < length; place++) {
      const [one = 0, other = 0] = [codes[place], row.codes[place]];
      codes[place] =
        strongest(mutationIn(one), mutationIn(other)) +
        64 * strongest(copiesIn(one), copiesIn(other)) +
        2048 * strongest(fusionIn(one), fusionIn(other));
      profiled[place] = (profiled[place] ?? 0) | (row.profiled[place] ?? 0);
    }
  const altered = Uint16Array.from([...codes.keys()].filter((place) => codes[place] !== 0));
  const changeOf = new Int32Array(altered.length).fill(-1);
  return { name, genes: rows.flatMap(({ genes }) => genes), codes, profiled, altered, changes: [], changeOf };
}

const strongest = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

function decodeTrack({ attribute, values, codes, numbers }: Answer['tracks'][number]): TrackRow {
  const found = numbersIn(numbers);
  const given = found.filter((one) => !Number.isNaN(one));
  const low = given.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const high = given.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  return { attribute, values, codes: Int8Array.from(integersIn(codes, noCode)), numbers: found, low, high };
}

function decodeHeat({ gene, unit, isLog, mean, deviation, numbers }: Answer['expression'][number]): HeatRow {
  const isScore = /^z-?score$/i.test(unit);
  const scores = Float32Array.from(numbersIn(numbers), (value) => {
    if (isScore) return value;
    return deviation ? ((isLog ? Math.log2(value + 1) : value) - (mean ?? 0)) / deviation : Number.NaN;
  });
  return { gene, unit, isLog, scores };
}

const integersIn = (text: string, none = 0): Int32Array =>
  Int32Array.from(partsOf(text), (part) => (part === '' ? none : Number(part)));

const numbersIn = (text: string): Float64Array =>
  Float64Array.from(partsOf(text), (part) => (part === '' ? Number.NaN : Number(part)));

const partsOf = (text: string): string[] => (text === '' ? [] : text.split(','));
