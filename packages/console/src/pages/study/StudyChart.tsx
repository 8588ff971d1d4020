import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useMemo, useRef } from 'react';
import { KeepMenu, Plotted, pictureOf, svgIn } from '../../chart/Chart.tsx';
import { lyingBarsOf } from '../../chart/kinds.ts';
import { labelSize, mainColour, restColour } from '../../design/palette.ts';
import { type Choice, type Conditions, chosenIn, toggle } from '../../study/conditions.ts';
import type { Attribute } from '../../study/study.ts';
import { ChartCard } from './ChartCard.tsx';
import { geneCharts, type Labels, type Placed, type Result } from './charts.ts';
import { GeneTable } from './GeneTable.tsx';
import { SurvivalChart, stepsIn, survivalNote } from './SurvivalChart.tsx';
import { type Bar, ValueBars } from './ValueBars.tsx';
import { rangeText, valueText } from './words.ts';

/** Chart with its place, its result, and what its controls change. */
export interface ChartProps {
  project: string;
  placed: Placed;
  columns: number;
  /** Name of the attribute or of the survival. */
  name: string | undefined;
  attribute: Attribute | undefined;
  result: Result | undefined;
  /** Subjects that are counted, without the chart's own choice. */
  total: number | null;
  labels: Labels;
  conditions: Conditions;
  change: (conditions: Conditions) => void;
  edit: {
    resize: (part: Partial<Placed>) => void;
    move: (by: number) => void;
    drop: (id: string) => void;
    remove: () => void;
  };
}

/** One chart of a study: its form follows the kind of its values. */
export function StudyChart(props: ChartProps) {
  const { placed, result, columns, edit } = props;
  const title = geneCharts.get(placed.id)?.title ?? props.name ?? placed.id;
  const bars = useMemo(() => barsOf(props), [props]);
  const place = useRef<HTMLDivElement>(null);
  const rows: Record<string, unknown>[] = result?.genes
    ? result.genes.items.map((item) => ({ ...item }))
    : result?.km
      ? stepsIn(result.km)
      : bars.map(({ name, count }) => ({ [title]: name, subjects: count }));
  const drawing = () => {
    const named = result?.genes ? 'gene' : title;
    const size = result?.genes ? 'altered' : 'subjects';
    return svgIn(place.current) ?? pictureOf(title, lyingBarsOf(rows, named, size));
  };
  const card = {
    title,
    placed,
    columns,
    keep: <KeepMenu title={title} data={rows} svg={drawing} />,
    ...edit,
  };
  const note = noteOf(props);
  if (result === undefined)
    return (
      <ChartCard {...card} note="">
        <Text size="sm">
          {props.name || geneCharts.has(placed.id) ? '…' : 'This project has no such values.'}
        </Text>
      </ChartCard>
    );
  if (result.error)
    return (
      <ChartCard {...card} note="">
        <Text size="sm">{result.error.message}</Text>
      </ChartCard>
    );
  return (
    <ChartCard {...card} note={note}>
      {result.genes ? (
        <GeneTable {...props} id={placed.id} genes={result.genes} title={title} />
      ) : result.km ? (
        <SurvivalChart title={title} survival={result.km} place={place} height={heightOf(placed.height)} />
      ) : result.bins ? (
        <Bins title={title} bars={bars} place={place} rows={placed.height} />
      ) : (
        <ValueBars title={title} bars={bars} total={props.total} />
      )}
    </ChartCard>
  );
}

/** Returns the bars of the values or ranges of an attribute. */
function barsOf({ placed: { id }, attribute, result, labels, conditions, change }: ChartProps): Bar[] {
  const chosen = chosenIn(conditions, id);
  const bar = (name: string, count: number | null, choice: Choice, isChosen: boolean): Bar => ({
    ...{ name, count, isChosen },
    choose: () => change(toggle(conditions, id, choice)),
  });
  const missing = (count: number | null): Bar[] =>
    count === 0 ? [] : [bar('No value', count, { na: true }, chosen?.na === true)];
  const { values, bins } = result ?? {};
  if (values) {
    const rest: Bar[] =
      values.other.values === 0
        ? []
        : [{ name: `${values.other.values} other values`, count: values.other.count, isChosen: false }];
    return [
      ...values.items.map(({ value, count }) =>
        bar(valueText(attribute, value, labels), count, { value }, chosen?.in?.includes(value) === true),
      ),
      ...rest,
      ...missing(values.na),
    ];
  }
  const keys = new Set((chosen?.ranges ?? []).map((range) => JSON.stringify(range)));
  return [
    ...(bins?.bars ?? []).flatMap(({ range, text, count }): Bar[] => {
      if (range) return [bar(rangeText(range), count, { range }, keys.has(JSON.stringify(range)))];
      return text === undefined
        ? []
        : [bar(text, count, { value: text }, chosen?.in?.includes(text) === true)];
    }),
    ...missing(bins?.na ?? 0),
  ];
}

/** Returns the numbers below a chart: how many subjects it counts. */
function noteOf({ result, total, attribute }: ChartProps): string {
  if (result?.genes) {
    const { profiled, genes } = result.genes;
    return profiled === 0
      ? 'No subject is profiled for this.'
      : `${genes.toLocaleString()} ${genes === 1 ? 'gene' : 'genes'}; ${profiled === null ? 'few' : profiled.toLocaleString()} profiled`;
  }
  if (result?.km) return survivalNote(result.km);
  const missing = result?.values?.na ?? result?.bins?.na;
  if (total === null || missing === null || missing === undefined) return '';
  const n = Math.max(0, total - missing);
  return `n = ${n.toLocaleString()}${attribute?.unit ? `, in ${attribute.unit}` : ''}`;
}

/** Height of a row of the grid that a drawing takes, and the gap between rows, in pixels. */
const rowHeight = 190;
const gap = 10;
const frame = 56;

const heightOf = (rows: number): number => rows * rowHeight + (rows - 1) * gap - frame;

interface BinsProps {
  title: string;
  bars: Bar[];
  place: React.RefObject<HTMLDivElement | null>;
  rows: number;
}

/** Ranges of a number as upright bars, each of which is a switch. */
function Bins({ title, bars, place, rows }: BinsProps) {
  const data = useMemo(() => bars.map(({ name, count }) => ({ range: name, subjects: count ?? 0 })), [bars]);
  const options = useMemo(() => {
    const isAnyChosen = bars.some(({ isChosen }) => isChosen);
    const fill = bars.map(({ isChosen }) => (isAnyChosen && !isChosen ? restColour : mainColour));
    const names = bars.map(({ name }) => name);
    return (width: number): Plot.PlotOptions => ({
      height: heightOf(rows),
      marginLeft: 34,
      marginBottom: 26,
      marginTop: 8,
      marginRight: 8,
      x: { domain: names, label: null, ticks: tickedNames(names, width - 42), tickSize: 0 },
      y: {
        grid: true,
        label: null,
        ticks: 4,
        tickFormat: (n: number) => (Number.isInteger(n) ? `${n}` : ''),
      },
      marks: [
        Plot.barY(data, { x: 'range', y: 'subjects', fill: (_, at) => fill[at], tip: true, inset: 0.5 }),
        Plot.ruleY([0]),
      ],
    });
  }, [bars, data, rows]);
  const pick = useMemo(
    () => (row: Record<string, unknown>) => bars.find(({ name }) => name === row['range'])?.choose?.(),
    [bars],
  );
  return <Plotted title={title} data={data} options={options} pick={pick} place={place} />;
}

/** Returns the names that find room below their bars. */
function tickedNames(names: readonly string[], width: number): string[] {
  const longest = Math.max(1, ...names.map((name) => name.length)) * labelSize * 0.56 + 8;
  const step = Math.max(1, Math.ceil((longest * names.length) / Math.max(1, width)));
  return names.filter((_, at) => at % step === 0);
}
