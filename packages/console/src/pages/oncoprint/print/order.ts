import { clusterOrder } from './cluster.ts';
import {
  copiesIn,
  counts,
  fusionIn,
  type GeneRow,
  mutationIn,
  noCode,
  type Print,
  type TrackRow,
  unjudged,
} from './decode.ts';

/** Choice of the subjects that are shown, and of their order. */
export interface Sorting {
  /** Rows of genes, from top to bottom. */
  genes: readonly number[];
  /** Tracks that sort before the genes. */
  tracks: readonly { track: number; descending: boolean }[];
  by: 'genes' | 'cluster' | 'id' | 'given';
  /** Types of mutations, and drivers, have an order. */
  byType: boolean;
  byDriver: boolean;
  /** Track whose values are groups with a gap between them. */
  gap: number | undefined;
  hideUnaltered: boolean;
  hideUnprofiled: boolean;
  /** Ids in a chosen order. */
  given: readonly string[];
}

/** Altered subjects, of those that are profiled. */
export interface Share {
  altered: number;
  profiled: number;
}

/** Subjects beside each other, from a place in the order to the one before `to`. */
export interface Group {
  name: string;
  from: number;
  to: number;
  /** Shares of the genes, in the order of their rows. */
  shares: Share[];
}

export interface Ordered {
  /** Places of the shown subjects. */
  order: Uint32Array;
  groups: Group[];
  /** Share of every row of a gene, over all subjects. */
  shares: Share[];
  /** Subjects with a shown gene altered, of those profiled for one. */
  total: Share;
  /** Clustering was not possible: too many subjects. */
  isUnclustered: boolean;
}

/** Subjects that are clustered: time and memory grow with the square. */
export const clusteredMax = 2000;

/** Orders the subjects. */
export function orderOf(print: Print, sorting: Sorting): Ordered {
  const rows = sorting.genes.flatMap((at) => print.genes[at] ?? []);
  const all = Uint32Array.from(print.subjects.keys());
  const states = statesOf(rows, all.length);
  const groupOf = groupsOf(sorting.gap === undefined ? undefined : print.tracks[sorting.gap], all.length);
  const shown = all.filter(
    (place) =>
      !(sorting.hideUnaltered && ((states[place] ?? 0) & 2) === 0) &&
      !(sorting.hideUnprofiled && ((states[place] ?? 0) & 1) === 0),
  );
  const isUnclustered = sorting.by === 'cluster' && shown.length > clusteredMax;
  const keys = [
    groupOf.rank,
    ...sorting.tracks.flatMap(({ track, descending }) => {
      const row = print.tracks[track];
      return row ? [ranksOf(row, descending)] : [];
    }),
    ...(sorting.by === 'cluster' && !isUnclustered ? [clusterRanks(print, rows, shown)] : []),
    ...(sorting.by === 'given' ? [givenRanks(print, sorting.given)] : []),
    ...(sorting.by === 'genes' || isUnclustered
      ? [...rows.map((row) => memoKeys(row, print.hasJudgements, sorting)), ...rows.map(absence)]
      : []),
  ];
  const order = shown.sort((one, other) => {
    for (const key of keys) {
      const difference = (key[one] ?? 0) - (key[other] ?? 0);
      if (difference !== 0) return difference;
    }
    return one - other;
  });
  return {
    ...{ order, isUnclustered, shares: print.genes.map((row) => shareOf(row, all)) },
    groups: splitGroups(order, groupOf, rows, all),
    total: totalOf(states),
  };
}

/**
 * Computes one number per subject that compares as the vector of its cell: fusion, copy number, mutation, germline; drivers
 * before others, and cells without an alteration last.
 */
function memoKeys(
  { codes }: GeneRow,
  hasJudgements: boolean,
  { byType, byDriver }: Pick<Sorting, 'byType' | 'byDriver'>,
): Uint32Array {
  const isOther = (judgement: number): number =>
    byDriver && hasJudgements && judgement !== 0 ? 1 : byDriver && judgement > unjudged ? 1 : 0;
  return Uint32Array.from(codes, (code) => {
    const [mutation, copies, fusion] = [mutationIn(code), copiesIn(code), fusionIn(code)];
    const ofFusion = fusion === 0 ? 2 : isOther(fusion - 1);
    const ofCopies = copies === 0 ? 8 : 4 * isOther(copies & 3) + (copyRanks[copies >> 2] ?? 0);
    const ofMutation =
      mutation === 0
        ? 12
        : 6 * isOther(mutation >> 4) + (byType ? (mutationRanks[(mutation >> 1) & 7] ?? 0) : 0);
    const ofGermline = mutation > 0 && (mutation & 1) === 0 ? 0 : 1;
    return ((ofFusion * 9 + ofCopies) * 13 + ofMutation) * 2 + ofGermline;
  });
}

/** Ranks by the class in the code: truncating, splice, inframe, promoter, missense, other; amplification, deletion, gain, loss. */
const mutationRanks = [0, 0, 2, 4, 1, 3, 5];
const copyRanks = [0, 0, 1, 2, 3];

/** Subjects that are not profiled come last, after all alterations. */
const absence = ({ profiled }: GeneRow): Uint8Array => profiled.map((bits) => (bits === 0 ? 1 : 0));

/** State of each subject over the rows: 1 profiled, plus 2 altered, plus 4 altered in what it is profiled for. */
function statesOf(rows: readonly GeneRow[], length: number): Uint8Array {
  const states = new Uint8Array(length);
  for (const { codes, profiled } of rows)
    for (let place = 0; place < length; place++) {
      if (profiled[place] !== 0) states[place] = (states[place] ?? 0) | 1;
      if (codes[place] !== 0) states[place] = (states[place] ?? 0) | 2;
      if (counts(codes[place] ?? 0, profiled[place] ?? 0)) states[place] = (states[place] ?? 0) | 4;
    }
  return states;
}

function totalOf(states: Uint8Array): Share {
  let [altered, profiled] = [0, 0];
  for (const state of states) {
    profiled += state & 1;
    if ((state & 4) > 0) altered += 1;
  }
  return { altered, profiled };
}

function shareOf({ codes, profiled }: GeneRow, places: Uint32Array): Share {
  const share = { altered: 0, profiled: 0 };
  for (const place of places) {
    const bits = profiled[place] ?? 0;
    if (bits === 0) continue;
    share.profiled += 1;
    if (counts(codes[place] ?? 0, bits)) share.altered += 1;
  }
  return share;
}

interface Grouping {
  rank: Uint32Array;
  names: string[];
}

const byNature = new Intl.Collator('en', { numeric: true });

/** Returns the group of each subject by the values of a track; those without a value are the last group. */
function groupsOf(track: TrackRow | undefined, length: number): Grouping {
  if (!track) return { rank: new Uint32Array(length), names: [''] };
  const words = track.values.map(({ value, label }) => label ?? value);
  const sorted = [...words.keys()].sort((one, other) =>
    byNature.compare(words[one] ?? '', words[other] ?? ''),
  );
  const rankOf = new Map(sorted.map((code, rank) => [code, rank]));
  const more = new Map([
    [-1, words.length],
    [-2, words.length + 1],
    [noCode, words.length + 2],
  ]);
  return {
    rank: Uint32Array.from(track.codes, (code) => rankOf.get(code) ?? more.get(code) ?? 0),
    names: [...sorted.map((code) => words[code] ?? ''), 'Several values', 'Other values', 'No value'],
  };
}

function splitGroups(
  order: Uint32Array,
  { rank, names }: Grouping,
  rows: readonly GeneRow[],
  all: Uint32Array,
): Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < order.length; ) {
    const group = rank[order[from] ?? 0] ?? 0;
    let to = from;
    while (to < order.length && rank[order[to] ?? 0] === group) to += 1;
    // Shares are of all subjects of the group, hidden ones included.
    const members = all.filter((place) => rank[place] === group);
    groups.push({ name: names[group] ?? '', from, to, shares: rows.map((row) => shareOf(row, members)) });
    from = to;
  }
  return groups;
}

/** Ranks subjects by a track: numbers, then texts by nature; those without a value last in both directions. */
export function ranksOf({ codes, numbers, values }: TrackRow, descending: boolean): Float64Array {
  const words = values.map(({ value, label }) => label ?? value);
  const sorted = [...words.keys()].sort((one, other) =>
    byNature.compare(words[one] ?? '', words[other] ?? ''),
  );
  const rankOf = new Map(sorted.map((code, rank) => [code, rank]));
  const sign = descending ? -1 : 1;
  // Texts follow numbers, and subjects with several texts follow these.
  const behind = 1e300;
  return Float64Array.from(numbers, (number, place) => {
    const code = codes[place] ?? noCode;
    if (!Number.isNaN(number)) return sign * number;
    if (code === noCode) return Number.POSITIVE_INFINITY;
    return code < 0 ? 2 * behind : behind * (1 + (sign * ((rankOf.get(code) ?? 0) + 1)) / 1000);
  });
}

function givenRanks({ subjects }: Print, given: readonly string[]): Uint32Array {
  const rankOf = new Map(given.map((id, rank) => [id, rank]));
  return Uint32Array.from(subjects, (id) => rankOf.get(id) ?? given.length);
}

/** Ranks the shown subjects by clustering: of their expression, where at least three genes have it, or of their alterations. */
function clusterRanks({ heats, subjects }: Print, rows: readonly GeneRow[], shown: Uint32Array): Uint32Array {
  const ofExpression = heats.length >= 3;
  const vectors = [...shown].map((place) =>
    ofExpression
      ? Float64Array.from(heats, ({ scores }) => scores[place] ?? Number.NaN)
      : Float64Array.from(rows, ({ codes }) => (codes[place] === 0 ? 0 : 1)),
  );
  const ranks = new Uint32Array(subjects.length);
  for (const [rank, at] of clusterOrder(vectors).entries()) ranks[shown[at] ?? 0] = rank;
  return ranks;
}
