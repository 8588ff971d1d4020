import { type PrintColours, trackColours } from '../../../design/palette.ts';
import { copiesIn, fusionIn, mutationIn, noCode, type Print, type TrackRow } from './decode.ts';
import type { Columns, Row } from './geometry.ts';
import { type Label, labelsIn } from './labels.ts';

/** Rectangles of one colour: left, top, width and height of each, one behind the other. */
export interface Batch {
  colour: string;
  rects: number[];
}

/** Drawing of a part of an oncoprint: batches in the order in which they cover each other. */
export interface Drawing {
  batches: Batch[];
  labels: Label[];
}

/** Cells, order and colours of a drawing. */
export interface Scene {
  print: Print;
  order: Uint32Array;
  rows: readonly Row[];
  columns: Columns;
  colours: PrintColours;
  /** Blank between cells, where columns are wide enough. */
  hasBlanks: boolean;
}

/** Part of the drawing, in pixels. `grain`: size of the smallest mark. */
export interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
  grain: number;
}

export const mutationClasses = ['', 'truncating', 'inframe', 'missense', 'splice', 'promoter', 'other'];
export const copyNumberClasses = ['', 'amplification', 'deletion', 'gain', 'loss'] as const;

/** Columns below this width have no blank between them, in pixels. */
const blankFrom = 4;
const heatSteps = 10;

/** Draws the cells in a part. Equal neighbours are one rectangle, and every alteration is a grain wide at least. */
export function draw(scene: Scene, part: Part): Drawing {
  const painter = new Painter(scene, part);
  for (const row of rowsIn(scene, part)) painter.line(row);
  return { batches: painter.batches, labels: labelsIn(scene.rows, scene.columns, part) };
}

/** Draws the same as `draw` line by line, so that a caller may pause in between. Labels follow. */
export function* drawnLines(scene: Scene, part: Part): Generator<Drawing> {
  for (const row of rowsIn(scene, part)) {
    const painter = new Painter(scene, part);
    painter.line(row);
    yield { batches: painter.batches, labels: [] };
  }
  yield { batches: [], labels: labelsIn(scene.rows, scene.columns, part) };
}

const rowsIn = ({ rows }: Scene, part: Part): Row[] =>
  rows.filter(({ top, height }) => top <= part.top + part.height && top + height >= part.top);

class Painter {
  readonly #layers: Map<string, number[]>[] = [];
  readonly #scene: Scene;
  readonly #part: Part;
  readonly #first: number;
  readonly #last: number;

  constructor(scene: Scene, part: Part) {
    this.#scene = scene;
    this.#part = part;
    const { columns } = scene;
    this.#first = columns.at(part.left);
    this.#last = columns.count === 0 ? -1 : columns.at(part.left + part.width);
  }

  get batches(): Batch[] {
    return this.#layers.flatMap((layer) => [...(layer ?? [])].map(([colour, rects]) => ({ colour, rects })));
  }

  line(row: Row): void {
    if (row.kind === 'gene') this.gene(row);
    else if (row.kind === 'heat') this.heat(row);
    else if (row.at.length > 1) this.stack(row);
    else this.track(row);
  }

  gene({ at: [at = 0], top, height }: Row): void {
    const { print, order, colours } = this.#scene;
    const row = print.genes[at];
    if (!row) return;
    const pale = (judgement: number): 0 | 1 =>
      judgement === 2 || (judgement === 1 && print.hasJudgements) ? 1 : 0;
    this.#runs(
      (place) => ((row.profiled[order[place] ?? 0] ?? 0) === 0 ? 0 : 1),
      (isProfiled, left, width) => {
        if (isProfiled) this.#add(0, colours.base, left, top, width, height);
        else this.#add(0, colours.line, left, top + height / 2 - 0.5, width, 1);
      },
    );
    this.#runs(
      (place) => row.codes[order[place] ?? 0] ?? 0,
      (code, left, width) => {
        if (code === 0) return;
        const [mutation, copies, fusion] = [mutationIn(code), copiesIn(code), fusionIn(code)];
        const name = copyNumberClasses[copies >> 2];
        if (name) this.#add(1, colours[name], left, top, width, height);
        if (fusion > 0)
          this.#add(2, colours.fusion[pale(fusion - 1)], left, top + 0.2 * height, width, 0.6 * height);
        if (mutation === 0) return;
        const pair =
          colours.mutations[mutationClasses[(mutation >> 1) & 7] ?? ''] ?? colours.mutations['other'];
        this.#add(3, pair?.[pale(mutation >> 4)] ?? colours.line, left, top + height / 3, width, height / 3);
        if ((mutation & 1) === 0)
          this.#add(4, colours.germline, left, top + 0.46 * height, width, 0.08 * height);
      },
    );
  }

  track({ at: [at = 0], top, height }: Row): void {
    const { print, order, colours } = this.#scene;
    const track = print.tracks[at];
    if (!track) return;
    if (!isNumeric(track)) {
      this.#values(
        (place) => track.codes[order[place] ?? 0] ?? noCode,
        (code, left, width) => {
          if (code === noCode) this.#add(0, colours.line, left, top + height / 2 - 0.5, width, 1);
          else this.#add(0, valueColour(code), left, top, width, height);
        },
      );
      return;
    }
    const steps = Math.max(1, Math.round(height));
    const span = track.high - Math.min(0, track.low) || 1;
    this.#values(
      (place) => {
        const number = track.numbers[order[place] ?? 0] ?? Number.NaN;
        return Number.isNaN(number) ? -1 : Math.round(((number - Math.min(0, track.low)) / span) * steps);
      },
      (step, left, width) => {
        if (step < 0) this.#add(0, colours.line, left, top + height / 2 - 0.5, width, 1);
        else this.#add(0, trackColours[0], left, top + height - step, width, Math.max(step, 0.5));
      },
    );
  }

  /** Draws the parts of a whole above each other; a subject without a number has none. */
  stack({ at, top, height }: Row): void {
    const { print, order } = this.#scene;
    const tracks = at.flatMap((one) => print.tracks[one] ?? []);
    for (let place = this.#first; place <= this.#last; place++) {
      const numbers = tracks.map(({ numbers }) => Math.max(0, numbers[order[place] ?? 0] || 0));
      const sum = numbers.reduce((total, one) => total + one, 0);
      if (sum === 0) continue;
      const [left, width] = this.#span(place, place);
      let bottom = top + height;
      for (const [part, number] of numbers.entries()) {
        const tall = (number / sum) * height;
        bottom -= tall;
        if (tall > 0) this.#add(0, valueColour(part), left, bottom, width, tall);
      }
    }
  }

  heat({ at: [at = 0], top, height }: Row): void {
    const { print, order, colours } = this.#scene;
    const row = print.heats[at];
    if (!row) return;
    this.#values(
      (place) => heatStep(row.scores[order[place] ?? 0] ?? Number.NaN),
      (step, left, width) => {
        if (step === noStep) this.#add(0, colours.line, left, top + height / 2 - 0.5, width, 1);
        else this.#add(0, heatColour(step / heatSteps, colours), left, top, width, height);
      },
    );
  }

  /** Calls with each run of equal values in the part; a gap ends a run. */
  #runs(valueAt: (place: number) => number, add: (value: number, left: number, width: number) => void): void {
    const { columns, hasBlanks } = this.#scene;
    const isApart = hasBlanks && columns.wide >= blankFrom;
    for (const group of columns.groups) {
      const last = Math.min(this.#last, group.to - 1);
      for (let from = Math.max(this.#first, group.from); from <= last; ) {
        const value = valueAt(from);
        let to = from;
        while (!isApart && to < last && valueAt(to + 1) === value) to += 1;
        const [left, width] = this.#span(from, to);
        add(value, left, width - (isApart ? 1 : 0));
        from = to + 1;
      }
    }
  }

  /** Calls as `#runs` does; where several columns share a grain, with the most frequent value of each grain. */
  #values(
    valueAt: (place: number) => number,
    add: (value: number, left: number, width: number) => void,
  ): void {
    const { columns } = this.#scene;
    if (columns.wide >= this.#part.grain) {
      this.#runs(valueAt, add);
      return;
    }
    for (const group of columns.groups) {
      const last = Math.min(this.#last, group.to - 1);
      for (let from = Math.max(this.#first, group.from); from <= last; ) {
        const [left] = this.#span(from, from);
        const counts = new Map<number, number>();
        let to = from;
        for (; to <= last && this.#span(to, to)[0] === left; to += 1) {
          const value = valueAt(to);
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
        const [[value] = [valueAt(from)]] = [...counts].sort(([, one], [, other]) => other - one);
        add(value, left, this.#part.grain);
        from = to;
      }
    }
  }

  /** Returns left end and width of columns, on whole grains. */
  #span(from: number, to: number): [left: number, width: number] {
    const { columns } = this.#scene;
    const { grain } = this.#part;
    const left = Math.round(columns.left(from) / grain) * grain;
    const right = Math.round((columns.left(to) + columns.wide) / grain) * grain;
    return [left, Math.max(grain, right - left)];
  }

  #add(layer: number, colour: string, left: number, top: number, width: number, height: number): void {
    this.#layers[layer] ??= new Map();
    const batches = this.#layers[layer];
    const rects = batches.get(colour);
    if (!rects) {
      batches.set(colour, [left, top, width, height]);
      return;
    }
    const last = rects.length - 4;
    const [before = 0, wide = 0] = [rects[last], rects[last + 2]];
    // Many columns share a pixel: they are one mark.
    const touches =
      rects[last + 1] === top && rects[last + 3] === height && left <= before + wide && left >= before;
    if (touches) rects[last + 2] = Math.max(wide, left + width - before);
    else rects.push(left, top, width, height);
  }
}

/** Reports whether a track is drawn as bars. */
export const isNumeric = ({ low, high }: TrackRow): boolean => low <= high;

/** Colour of a value by its place; several values, and values beyond the list, have the last ones. */
export function valueColour(code: number): string {
  if (code === -1) return '#555555';
  if (code < 0) return '#a0a0a0';
  return trackColours[code % trackColours.length] ?? trackColours[0];
}

const noStep = -100;

/** Returns the step of a score between −3 and 3. */
const heatStep = (score: number): number =>
  Number.isNaN(score) ? noStep : Math.round((Math.max(-3, Math.min(3, score)) / 3) * heatSteps);

/** Returns the colour of a score from −1 to 1. */
export function heatColour(score: number, { heat: [low, middle, high] }: PrintColours): string {
  const end = score < 0 ? low : high;
  const mixed = [1, 3, 5].map((at) => {
    const [from, to] = [middle, end].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round((from ?? 0) + ((to ?? 0) - (from ?? 0)) * Math.abs(score))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}

/** Fills a drawing on a canvas whose origin is that of the part. */
export function fill(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  { batches, labels }: Drawing,
  ink: string,
): void {
  for (const { colour, rects } of batches) {
    context.fillStyle = colour;
    for (let at = 0; at < rects.length; at += 4)
      context.fillRect(rects[at] ?? 0, rects[at + 1] ?? 0, rects[at + 2] ?? 0, rects[at + 3] ?? 0);
  }
  context.fillStyle = ink;
  context.font = '12px sans-serif';
  context.textBaseline = 'middle';
  for (const { text, left, middle } of labels) context.fillText(text, left, middle);
}
