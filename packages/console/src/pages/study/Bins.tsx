import * as Plot from '@observablehq/plot';
import { type RefObject, useMemo } from 'react';
import { Plotted } from '../../chart/Chart.tsx';
import { labelSize, mainColour, restColour } from '../../design/palette.ts';
import type { Bar } from './bars.ts';

interface Props {
  title: string;
  bars: Bar[];
  place: RefObject<HTMLDivElement | null>;
  /** Subjects that are counted, in the plural. */
  counted: string;
}

const margins = { marginLeft: 38, marginRight: 10, marginTop: 8, marginBottom: 22 } as const;
/** Mean width of a letter, in parts of its size. */
const letterShare = 0.56;

/** Ranges of a number as upright bars, each of which is a switch. Numbers are at the edges of bars. */
export function Bins({ title, bars, place, counted }: Props) {
  const data = useMemo(
    // A bar whose count is hidden is not drawn.
    () => bars.map(({ name, count }) => ({ range: name, [counted]: count })),
    [bars, counted],
  );
  const options = useMemo(() => {
    const isAnyChosen = bars.some(({ isChosen }) => isChosen);
    const fill = bars.map(({ isChosen }) => (isAnyChosen && !isChosen ? restColour : mainColour));
    return (width: number): Plot.PlotOptions => {
      const step = (width - margins.marginLeft - margins.marginRight) / Math.max(1, bars.length);
      const { edges, names } = labelsOf(bars, step);
      const below = { frameAnchor: 'bottom', lineAnchor: 'top', dy: 7, x: 'range', text: 'text' } as const;
      return {
        ...margins,
        x: { domain: bars.map(({ name }) => name), axis: null, padding: 0 },
        y: {
          grid: true,
          label: null,
          // Without a subject the library would draw bars of full height.
          ...(bars.every(({ count }) => !count) && { domain: [0, 1] }),
          ticks: 4,
          tickSize: 0,
          tickFormat: (n: number) => (Number.isInteger(n) ? n.toLocaleString() : ''),
        },
        marks: [
          Plot.barY(data, {
            x: 'range',
            y: counted,
            fill: (_, at) => fill[at],
            tip: true,
            insetLeft: 0.5,
            insetRight: 0.5,
          }),
          Plot.text(edges, { ...below, dx: -step / 2, ariaHidden: 'true' }),
          Plot.text(names, { ...below, ariaHidden: 'true' }),
          Plot.ruleY([0]),
        ],
      };
    };
  }, [bars, data, counted]);
  const pick = useMemo(
    () => (row: Record<string, unknown>) => bars.find(({ name }) => name === row['range'])?.choose?.(),
    [bars],
  );
  return <Plotted title={title} data={data} options={options} pick={pick} place={place} isFilling />;
}

interface Label {
  range: string;
  text: string;
}

/** Returns the labels that find room below bars of a width: numbers at left edges, names of other bars below them. */
function labelsOf(bars: readonly Bar[], step: number): { edges: Label[]; names: Label[] } {
  const all = bars.map(({ name, label, edge }) => ({
    range: name,
    text:
      edge === undefined
        ? (label ?? name)
        : edge.toLocaleString(undefined, { maximumSignificantDigits: 4, useGrouping: false }),
    isEdge: edge !== undefined,
  }));
  const widthOf = ({ text }: Label): number => text.length * labelSize * letterShare + 8;
  const labels: typeof all = [];
  // From the right, where the names of open ends and of missing values are.
  let room = Number.POSITIVE_INFINITY;
  for (const [at, label] of [...all.entries()].reverse()) {
    const middle = at * step + (label.isEdge ? 0 : step / 2);
    const half = widthOf(label) / 2;
    if (middle + half > room) continue;
    room = middle - half;
    labels.push(label);
  }
  return { edges: labels.filter(({ isEdge }) => isEdge), names: labels.filter(({ isEdge }) => !isEdge) };
}
