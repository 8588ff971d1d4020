import { Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useMemo, useState } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { categories, labelSize, restColour } from '../../design/palette.ts';
import { type Alteration, isKnown } from './alterations-in.ts';
import { apart } from './places.ts';
import type { Sample } from './samples.ts';

const height = 300;
const margins = { marginLeft: 46, marginRight: 110, marginTop: 24, marginBottom: 44 };
/** Letters over marks are set off by the colour of the page. */
const halo = { stroke: 'var(--mantine-color-body)', strokeWidth: 4, fill: 'currentColor' };
/** Distance of labels in shares. */
const labelGap = 14 / (height - margins.marginTop - margins.marginBottom);
/** Labels that fit beside a drawing. */
const labelsMax = 14;
const knownColour = categories[4];

const nameOf = ({ gene, change, type }: Alteration): string => `${gene} ${change || type}`;
const titleOf = ({ number, id }: Sample): string => `${number}: ${id}`;

interface Props {
  list: readonly Alteration[];
  samples: readonly Sample[];
  /** False where other patients are beside it. */
  isAlone: boolean;
}

/** Shares of reads across samples, and of two samples against each other. */
export function Fractions({ list, samples, isAlone }: Props) {
  const shared = samples.filter(({ id }) =>
    list.some(({ fractions }) => typeof fractions.get(id) === 'number'),
  );
  if (shared.length === 0) return null;
  return (
    <section aria-label="Shares of reads">
      <SimpleGrid cols={isAlone && shared.length > 1 ? { base: 1, md: 2 } : 1}>
        <Courses list={list} samples={shared} />
        {shared.length > 1 && <Pair list={list} samples={shared} />}
      </SimpleGrid>
    </section>
  );
}

interface Point extends Record<string, unknown> {
  sample: string;
  number: number;
  alteration: string;
  share: number;
  known: boolean;
}

/** Shares of reads of each alteration in the samples in their order; known ones have their names. */
function Courses({ list, samples }: Omit<Props, 'isAlone'>) {
  const points = useMemo(
    () =>
      list.flatMap((alteration) =>
        samples.flatMap(({ id, number }): Point[] => {
          const share = alteration.fractions.get(id);
          if (typeof share !== 'number') return [];
          return [{ sample: id, number, alteration: nameOf(alteration), share, known: isKnown(alteration) }];
        }),
      ),
    [list, samples],
  );
  const options = useMemo((): Plot.PlotOptions => {
    if (samples.length === 1) return rowOptions(points);
    const [others, known] = [false, true].map((is) => points.filter((one) => one.known === is));
    const lasts = [...new Map(known?.map((one) => [one.alteration, one])).values()].slice(0, labelsMax);
    const places = apart(
      lasts.map(({ share }) => share),
      ...[labelGap, 0, 1],
    );
    const channels = { sample: 'sample', alteration: 'alteration' };
    const line = { x: 'number', y: 'share', z: 'alteration' } as const;
    return {
      ...{ height, ...margins },
      x: { domain: samples.map(({ number }) => number), label: 'sample', type: 'point' },
      y: { label: 'share of reads', domain: [0, 1], tickFormat: '%', grid: true },
      marks: [
        Plot.line(others ?? [], { ...line, stroke: restColour, strokeOpacity: 0.4, strokeWidth: 1 }),
        Plot.dot(others ?? [], { x: 'number', y: 'share', fill: restColour, fillOpacity: 0.6, r: 2.5 }),
        Plot.line(known ?? [], { ...line, stroke: knownColour }),
        Plot.dot(known ?? [], { x: 'number', y: 'share', fill: knownColour, r: 4 }),
        Plot.text(lasts, {
          ...{ x: 'number', y: (_: unknown, at: number) => places[at], text: 'alteration' },
          ...{ dx: 8, textAnchor: 'start', fontSize: labelSize, ...halo },
        }),
        Plot.tip(points, Plot.pointer({ x: 'number', y: 'share', channels })),
      ],
    };
  }, [points, samples]);
  return <Chart title="Share of reads by sample" data={points} options={options} />;
}

/** Shares of reads of one sample in a row, where equal ones are above each other. */
function rowOptions(points: Point[]): Plot.PlotOptions {
  const known = points.filter((one) => one.known).slice(0, labelsMax);
  const places = apart(
    known.map(({ share }) => share),
    ...[0.09, 0.05, 0.95],
  );
  return {
    ...{ height: 150, marginTop: 30, marginLeft: 20, marginRight: 20, marginBottom: 36 },
    x: { label: 'share of reads', domain: [0, 1], tickFormat: '%', grid: true },
    marks: [
      Plot.dot(
        points,
        Plot.dodgeY({
          ...{ x: 'share', r: 4, fill: ({ known: is }: Point) => (is ? knownColour : restColour) },
          ...{ channels: { alteration: 'alteration' }, tip: true },
        }),
      ),
      Plot.text(known, {
        ...{ x: (_: unknown, at: number) => places[at], text: 'alteration', frameAnchor: 'top' },
        ...{ dy: -12, fontSize: labelSize },
      }),
    ],
  };
}

/** Place of an alteration that one of two samples has not: beyond the axis, since its share there is not known to be 0. */
const missing = -0.07;

/** Shares of reads in two samples against each other. */
function Pair({ list, samples }: Omit<Props, 'isAlone'>) {
  const [first, second] = samples;
  const [chosen, setChosen] = useState([first?.id, second?.id]);
  const [one, other] = chosen.map((id) => samples.find((sample) => sample.id === id));
  const points = useMemo(() => (one && other ? pairsOf(list, one, other) : []), [list, one, other]);
  const options = useMemo((): Plot.PlotOptions => pairOptions(points, one, other), [points, one, other]);
  const both = points.filter(({ x, y }) => x !== null && y !== null).length;
  return (
    <Stack gap={4}>
      <Chart title="Shares in two samples" data={points} options={options}>
        {samples.length > 2 && (
          <Group gap={4} wrap="nowrap">
            {[0, 1].map((at) => (
              <Select
                key={at}
                size="xs"
                w={62}
                aria-label={at === 0 ? 'Horizontal sample' : 'Vertical sample'}
                allowDeselect={false}
                data={samples.map((sample) => ({ value: sample.id, label: String(sample.number) }))}
                value={chosen[at] ?? null}
                onChange={(next) => setChosen(chosen.with(at, next ?? undefined))}
              />
            ))}
          </Group>
        )}
      </Chart>
      <Text size="xs">
        {both} of {points.length} alterations have a share in both. Hollow ones beyond the axes were found in
        one sample only.
      </Text>
    </Stack>
  );
}

/** Lists alterations with a share in one of two samples at least. */
function pairsOf(list: readonly Alteration[], one: Sample, other: Sample) {
  return list.flatMap((alteration) => {
    const [x, y] = [one, other].map(({ id }) => alteration.fractions.get(id) ?? null);
    if (x === undefined || y === undefined || (x === null && y === null)) return [];
    return [{ alteration: nameOf(alteration), x, y, known: isKnown(alteration) }];
  });
}

type PairPoint = ReturnType<typeof pairsOf>[number];

function pairOptions(points: PairPoint[], one?: Sample, other?: Sample): Plot.PlotOptions {
  const placed = points.map((point) => ({
    ...point,
    ...{ left: point.x ?? missing, bottom: point.y ?? missing, full: point.x !== null && point.y !== null },
  }));
  const [hollow, others, known] = [
    placed.filter(({ full }) => !full),
    placed.filter((point) => point.full && !point.known),
    placed.filter((point) => point.full && point.known),
  ];
  const labelled = placed.filter((point) => point.known).slice(0, labelsMax);
  const places = apart(
    labelled.map(({ bottom }) => bottom),
    ...[labelGap, missing, 1],
  );
  const colour = (point: PairPoint): string => (point.known ? knownColour : restColour);
  const axis = (sample: Sample | undefined) => ({
    ...{ domain: [missing - 0.03, 1], ticks: [0, 0.25, 0.5, 0.75, 1], tickFormat: '%', grid: true },
    label: sample ? titleOf(sample) : null,
  });
  const at = { x: 'left', y: 'bottom' };
  const channels = { alteration: 'alteration', 'first share': 'x', 'second share': 'y' };
  return {
    ...{ height, ...margins, x: axis(one), y: axis(other) },
    marks: [
      Plot.ruleX([0], { strokeOpacity: 0.5 }),
      Plot.ruleY([0], { strokeOpacity: 0.5 }),
      Plot.line([0, 1], {
        x: (value) => value,
        y: (value) => value,
        stroke: 'currentColor',
        strokeOpacity: 0.3,
      }),
      Plot.dot(hollow, { ...at, stroke: colour, r: 3 }),
      Plot.dot(others, { ...at, fill: restColour, fillOpacity: 0.6, r: 3 }),
      Plot.dot(known, { ...at, fill: knownColour, r: 4.5 }),
      Plot.text(labelled, {
        ...{ x: 'left', y: (_: unknown, place: number) => places[place], text: 'alteration' },
        ...{ dx: 8, textAnchor: 'start', fontSize: labelSize, ...halo },
      }),
      Plot.tip(placed, Plot.pointer({ ...at, channels, format: { x: false, y: false } })),
    ],
  };
}
