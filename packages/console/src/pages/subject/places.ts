import { chromosomeLengths, nuclearChromosomes } from '@ploidy/formats/genome-build';
import type { Row } from '../../api/ask.ts';

/** Segment of a sample with its number of copies; ends are bases from the first one of the genome. */
export interface Segment extends Record<string, unknown> {
  sample: string;
  chromosome: string;
  from: number;
  to: number;
  copies: number;
  gene: string | null;
  start: number;
  end: number;
}

/** Chromosomes side by side: the first base of each, counted from the first base of the genome. */
export class GenomeAxis {
  readonly chromosomes: { name: string; start: number; end: number }[] = [];
  readonly #starts = new Map<string, number>();

  /** Chromosomes have the lengths of GRCh38, or reach to the last known place. The last ones without places are left out. */
  constructor(places: readonly { chromosome: string; end: number }[]) {
    const lasts = new Map<string, number>();
    for (const { chromosome, end } of places)
      lasts.set(chromosome, Math.max(end, lasts.get(chromosome) ?? 0));
    let start = 0;
    for (const [at, name] of nuclearChromosomes.entries()) {
      if (name === 'chrY' && !lasts.has(name)) continue;
      const end = start + Math.max(chromosomeLengths.GRCh38[at] ?? 0, lasts.get(name) ?? 0);
      this.#starts.set(name, start);
      this.chromosomes.push({ name: name.replace('chr', ''), start, end });
      start = end;
    }
  }

  /** Bases of all chromosomes. */
  get length(): number {
    return this.chromosomes.at(-1)?.end ?? 0;
  }

  /** Returns the place on the axis; `undefined` on other sequences. */
  at(chromosome: string, position: number): number | undefined {
    const start = this.#starts.get(chromosome);
    return start === undefined ? undefined : start + position;
  }
}

/** Returns the segments in rows of copy numbers, each once: sources repeat a segment for each of its genes. */
export function segmentsIn(rows: readonly Row[], axis: GenomeAxis): { segments: Segment[]; leftOut: number } {
  const found = new Map<string, Segment>();
  let leftOut = 0;
  for (const { sample_id, chromosome, start_position, end_position, copy_number, gene } of rows) {
    const [start, end] = [start_position, end_position].map((value) =>
      typeof value === 'number' ? axis.at(String(chromosome), value) : undefined,
    );
    if (start === undefined || end === undefined || typeof copy_number !== 'number') {
      leftOut += 1;
      continue;
    }
    found.set(JSON.stringify([sample_id, chromosome, start_position, end_position]), {
      ...{ sample: String(sample_id), chromosome: String(chromosome), copies: copy_number },
      ...{ from: Number(start_position), to: Number(end_position), start, end },
      gene: typeof gene === 'string' ? gene : null,
    });
  }
  return { segments: [...found.values()], leftOut };
}

/**
 * Moves values apart until neighbours differ by `gap` or more. The sum of squares of all moves is the smallest, and their order
 * stays. They stay between `min` and `max` where there is room.
 */
export function apart(values: readonly number[], gap: number, min: number, max: number): number[] {
  const order = values.map((_, at) => at).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  // Least squares under an order: neighbours that violate it are pooled at their mean (isotonic regression).
  const pools: { sum: number; count: number }[] = [];
  for (const [rank, at] of order.entries()) {
    pools.push({ sum: (values[at] ?? 0) - rank * gap, count: 1 });
    for (;;) {
      const [before, last] = [pools.at(-2), pools.at(-1)];
      if (!before || !last || before.sum / before.count <= last.sum / last.count) break;
      pools.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
    }
  }
  const highest = Math.max(min, max - (values.length - 1) * gap);
  const levels = pools.flatMap(({ sum, count }) =>
    Array.from({ length: count }, () => Math.min(highest, Math.max(min, sum / count))),
  );
  const moved = new Array<number>(values.length);
  for (const [rank, at] of order.entries()) moved[at] = (levels[rank] ?? 0) + rank * gap;
  return moved;
}
