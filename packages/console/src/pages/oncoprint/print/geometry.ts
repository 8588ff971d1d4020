import type { Group } from './order.ts';

/** A line of the drawing. */
export interface Row {
  kind: 'track' | 'gene' | 'heat';
  /** Places in the print; several are stacked. */
  at: readonly number[];
  top: number;
  height: number;
}

/** Columns from the first to the last chosen one, by their places in the order. */
export interface Range {
  from: number;
  to: number;
}

/** Cell by the place of its line, and of its column in the order. */
export interface Cell {
  row: number;
  place: number;
}

/** Distance between lines, and width of the gap behind a group, in pixels. */
export const rowGap = 4;
export const groupGap = 46;
const trackHeight = 20;
/** Room for the names of groups. */
const headHeight = 18;

/** Places the lines from top to bottom: tracks, genes, expression. */
export function rowsOf(
  tracks: readonly (readonly number[])[],
  genes: readonly number[],
  heats: readonly number[],
  { geneHeight, hasGroups }: { geneHeight: number; hasGroups: boolean },
): Row[] {
  let top = hasGroups ? headHeight : 0;
  const place = (kind: Row['kind'], at: readonly number[], height: number): Row => {
    const row = { kind, at, top, height };
    top += height + rowGap;
    return row;
  };
  return [
    ...tracks.map((at) => place('track', at, at.length > 1 ? 2 * trackHeight : trackHeight)),
    ...genes.map((at) => place('gene', [at], geneHeight)),
    ...heats.map((at) => place('heat', [at], Math.min(geneHeight, trackHeight))),
  ];
}

/** Returns the height of all lines. */
export const heightOf = (rows: readonly Row[]): number => {
  const last = rows.at(-1);
  return last ? last.top + last.height : 0;
};

/** Columns of subjects: equally wide, with a gap behind each group. */
export class Columns {
  readonly count: number;
  readonly wide: number;
  readonly groups: readonly Group[];
  readonly #gap: number;

  /** `wide`: width of a column in pixels, also below 1. */
  constructor(count: number, wide: number, groups: readonly Group[]) {
    this.count = count;
    this.wide = wide;
    this.groups = groups;
    this.#gap = groups.length > 1 ? groupGap : 0;
  }

  /** Width of all columns and gaps. */
  get width(): number {
    return this.count * this.wide + this.groups.length * this.#gap;
  }

  /** Returns the left end of a column. */
  left(place: number): number {
    return place * this.wide + this.#groupAt(place) * this.#gap;
  }

  /** Returns the column at a point; the nearest one in a gap and beyond the ends. */
  at(x: number): number {
    let before = 0;
    for (const { to } of this.groups) {
      if (x < to * this.wide + (before + 1) * this.#gap) break;
      before += 1;
    }
    const place = Math.floor((x - before * this.#gap) / this.wide);
    const group = this.groups[Math.min(before, this.groups.length - 1)];
    return Math.max(0, Math.min(place, (group?.to ?? this.count) - 1));
  }

  #groupAt(place: number): number {
    if (this.#gap === 0) return 0;
    const found = this.groups.findIndex(({ to }) => place < to);
    return found < 0 ? this.groups.length - 1 : found;
  }
}
