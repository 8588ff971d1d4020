import { Skeleton, Text } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { KeepMenu, pictureOf, svgIn } from '../../chart/Chart.tsx';
import { lyingBarsOf } from '../../chart/kinds.ts';
import { pairOf, pairTitle } from '../../study/pair-charts.ts';
import type { Attribute, Unit } from '../../study/study.ts';
import { Bins } from './Bins.tsx';
import { barsOf, type Charted } from './bars.ts';
import { ChartCard } from './ChartCard.tsx';
import { countingOf } from './charts.ts';
import { GeneTable } from './GeneTable.tsx';
import { courseCharts, geneCharts, type Placed } from './layout.ts';
import { PairChart, pairNote, rowsOfPair } from './PairChart.tsx';
import { SurvivalChart, stepsIn, survivalNote } from './SurvivalChart.tsx';
import { ValueBars } from './ValueBars.tsx';

/** Chart with its place, its result, and what its controls change. */
export interface ChartProps extends Charted {
  project: string;
  unit: Unit;
  columns: number;
  attributes: readonly Attribute[];
  /** Name of the attribute or of the survival. */
  name: string | undefined;
  /** Subjects that are counted, without the chart's own choice. */
  total: number | null;
  /** Absent in a report. */
  edit?: {
    resize: (part: Partial<Placed>) => void;
    move: (by: number) => void;
    drop: (id: string) => void;
    remove: () => void;
  };
}

/** Settings of the bars of a number, by their letters. */
const binSettings: readonly [letter: string, label: string][] = [
  ['', 'Ranges of equal width'],
  ['q', 'Quartiles'],
  ['m', 'Below and above the median'],
  ['l', 'Powers of ten'],
];

/** Settings of charts of genes by the kind of their alterations. */
const geneSettings: Readonly<Record<string, readonly [letter: string, label: string][]>> = {
  'genes:mutation': [
    ['', 'Non-silent'],
    ['d', 'Drivers'],
    ['p', 'Pathogenic in ClinVar'],
  ],
  'genes:copy_number': [
    ['', 'Amplifications and deep deletions'],
    ['a', 'Also gains and shallow losses'],
    ['d', 'Drivers'],
  ],
  'genes:fusion': [
    ['', 'All'],
    ['d', 'Drivers'],
  ],
};

/** Returns the title of a chart. */
function titleOf({ placed: { id, setting }, name, attributes }: ChartProps): string {
  const genes = geneCharts.get(id);
  const pair = pairOf(id, attributes);
  if (pair) return pairTitle(pair);
  if (!genes) return courseCharts.get(id)?.title ?? name ?? id;
  const counting = countingOf(setting);
  return counting ? `${genes.title}: ${counting}` : genes.title;
}

/** One chart of a study: its form follows the kind of its values. */
export function StudyChart(props: ChartProps) {
  const { placed, result, columns, edit, unit, attribute } = props;
  const title = titleOf(props);
  const pair = pairOf(placed.id, props.attributes);
  const bars = useMemo(() => barsOf(props), [props]);
  const place = useRef<HTMLDivElement>(null);
  const isOfSamples = unit === 'sample' && (attribute || pair || placed.id === 'profiles');
  const counted = isOfSamples ? 'samples' : 'subjects';
  const rows: Record<string, unknown>[] = result?.genes
    ? result.genes.items.map((item) => ({ ...item }))
    : result?.km
      ? stepsIn(result.km)
      : pair && result
        ? rowsOfPair(pair, result, props.labels)
        : bars.map(({ name, count }) => ({ [title]: name, [counted]: count }));
  const drawing = () => {
    const [name, size] = result?.genes ? ['gene', 'altered'] : [title, counted];
    return svgIn(place.current) ?? pictureOf(title, lyingBarsOf(rows, name, size));
  };
  const isNamed = props.name !== undefined || pair !== undefined;
  const hasValues = isNamed || geneCharts.has(placed.id) || courseCharts.has(placed.id);
  return (
    <ChartCard
      title={title}
      help={attribute?.description}
      placed={placed}
      columns={columns}
      keep={
        <KeepMenu title={title} data={rows} svg={drawing} chart={`${placed.id}~${placed.setting ?? ''}`} />
      }
      settings={geneSettings[placed.id] ?? (attribute?.type === 'number' ? binSettings : [])}
      note={noteOf(props)}
      edit={edit}
    >
      {result === undefined ? (
        hasValues ? (
          <Skeleton height="100%" radius="sm" aria-hidden="true" />
        ) : (
          <Text size="sm">This project has no such values.</Text>
        )
      ) : result.error ? (
        <Text size="sm">{result.error.message}</Text>
      ) : result.genes ? (
        <GeneTable {...props} genes={result.genes} title={title} />
      ) : result.km ? (
        <SurvivalChart title={title} survival={result.km} place={place} />
      ) : pair ? (
        <PairChart {...props} pair={pair} result={result} place={place} counted={counted} />
      ) : result.bins ? (
        <Bins title={title} bars={bars} place={place} counted={counted} />
      ) : (
        <ValueBars title={title} bars={bars} total={props.total} />
      )}
    </ChartCard>
  );
}

/** Returns the numbers below a chart: how many subjects it counts. */
function noteOf({ result, total, attribute }: ChartProps): string {
  if (result?.genes) {
    const { profiled, genes } = result.genes;
    if (total === 0) return 'n = 0';
    return profiled === 0
      ? 'No subject is profiled for this.'
      : `${genes.toLocaleString()} ${genes === 1 ? 'gene' : 'genes'}, ${profiled === null ? 'few' : profiled.toLocaleString()} profiled`;
  }
  if (result?.km) return survivalNote(result.km);
  if (result?.density || result?.box || result?.table) return pairNote(result);
  const missing = result?.values?.na ?? result?.bins?.na;
  if (total === null || missing === null || missing === undefined) return '';
  const n = `n = ${Math.max(0, total - missing).toLocaleString()}`;
  const { mean, median } = result?.bins?.numbers ?? {};
  if (mean === undefined || median === undefined) return n;
  const shown = (value: number): string =>
    value.toLocaleString(undefined, { maximumSignificantDigits: 4, useGrouping: false });
  return `${n}, mean ${shown(mean)}, median ${shown(median)}${attribute?.unit ? ` ${attribute.unit}` : ''}`;
}
