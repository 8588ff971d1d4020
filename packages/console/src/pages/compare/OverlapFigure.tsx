import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useRef } from 'react';
import type { Shape } from '../../api/lists.ts';
import { KeepMenu } from '../../chart/Chart.tsx';
import { labelSize, mainColour, restColour } from '../../design/palette.ts';
import { Grid } from '../../table/Grid.tsx';
import type { Drawn } from './groups.ts';

type Found = Shape<'StudyOverlap'>;
type Region = Found['regions'][number];

interface Props {
  groups: readonly Drawn[];
  found: Found;
}

/** Number of combinations that a drawing of more than three groups shows. */
const regionsMax = 30;

/** Subjects that groups share: circles for two or three groups, bars by combination for more. */
export function OverlapFigure({ groups, found }: Props) {
  const place = useRef<SVGSVGElement>(null);
  const title = 'Overlap of groups';
  const nameOf = (id: string): string => groups.find((one) => one.id === id)?.name ?? id;
  const rows = found.regions.map(({ groups: ids, patients }) => ({
    groups: ids.map(nameOf).join(' and '),
    patients,
  }));
  const isVenn = groups.length <= 3;
  return (
    <Stack>
      <Card withBorder padding="sm">
        <Group justify="space-between" mb={4}>
          <Title order={2} size="h5">
            {title}
          </Title>
          <KeepMenu title={title} data={rows} svg={() => place.current} />
        </Group>
        {isVenn ? (
          <Venn groups={groups} found={found} place={place} />
        ) : (
          <Combinations groups={groups} found={found} place={place} />
        )}
        <Text size="sm" c="var(--soft)">
          Subjects by the combination of groups that they are in
          {isVenn ? '; circles are not drawn to scale' : ''}. A subject with samples in two groups is in both.
        </Text>
      </Card>
      <Grid
        name="Combinations of groups"
        rows={rows}
        columns={[
          { name: 'groups', value: (row) => row.groups },
          { name: 'subjects', value: (row) => row.patients, numeric: true },
        ]}
      />
    </Stack>
  );
}

type FigureProps = Props & { place: React.RefObject<SVGSVGElement | null> };

/** Centres of circles, and places of the numbers of combinations, by the places of their groups. */
const layouts: Readonly<
  Record<number, { circles: [number, number][]; numbers: Record<string, [number, number]> }>
> = {
  2: {
    circles: [
      [170, 130],
      [270, 130],
    ],
    numbers: { '0': [125, 130], '1': [315, 130], '0,1': [220, 130] },
  },
  3: {
    circles: [
      [170, 115],
      [270, 115],
      [220, 200],
    ],
    numbers: {
      ...{ '0': [120, 95], '1': [320, 95], '2': [220, 255], '0,1': [220, 85] },
      ...{ '0,2': [160, 175], '1,2': [280, 175], '0,1,2': [220, 142] },
    },
  },
};

function Venn({ groups, found, place }: FigureProps) {
  const { circles, numbers } = layouts[groups.length] ?? { circles: [], numbers: {} };
  const countOf = (key: string): string => {
    const region = found.regions.find(({ groups: ids }) => placesOf(ids, groups).join() === key);
    return (region?.patients ?? 0).toLocaleString();
  };
  return (
    <svg
      ref={place}
      viewBox="0 0 440 300"
      role="img"
      aria-label={wordsOf(found, groups)}
      style={{ maxWidth: 560 }}
    >
      {circles.map(([x, y], at) => (
        <circle
          key={`${x} ${y}`}
          cx={x}
          cy={y}
          r={85}
          fill={groups[at]?.colour}
          fillOpacity={0.25}
          stroke={groups[at]?.colour}
          strokeWidth={2}
        />
      ))}
      {Object.entries(numbers).map(([key, [x, y]]) => (
        <text
          key={key}
          x={x}
          y={y}
          textAnchor="middle"
          dominantBaseline="middle"
          fontSize={16}
          fill="currentColor"
        >
          {countOf(key)}
        </text>
      ))}
      {circles.map(([x], at) => (
        <text
          key={x}
          x={at === 0 ? 8 : at === 1 ? 432 : 320}
          y={at === 2 ? 285 : 18}
          textAnchor={at === 0 || at === 2 ? 'start' : 'end'}
          fontSize={labelSize + 1}
          fill="currentColor"
        >
          {shortened(groups[at]?.name ?? '', at === 2 ? 16 : 28)}
          <title>{groups[at]?.name}</title>
        </text>
      ))}
    </svg>
  );
}

/** Bars with the subjects of each combination, and a dot for each of its groups. */
function Combinations({ groups, found, place }: FigureProps) {
  const regions = found.regions.slice(0, regionsMax);
  const [left, top, step, row] = [200, 150, 26, 22];
  const longest = Math.max(1, ...regions.map(({ patients }) => patients ?? 0));
  const width = left + regions.length * step + 20;
  return (
    <div style={{ overflowX: 'auto' }}>
      <svg
        ref={place}
        viewBox={`0 0 ${width} ${top + groups.length * row + 30}`}
        width={width}
        role="img"
        aria-label={wordsOf(found, groups)}
      >
        {groups.map(({ id, name, colour }, at) => (
          <g key={id}>
            <text
              x={left - 20}
              y={top + 24 + at * row}
              textAnchor="end"
              fontSize={labelSize}
              fill="currentColor"
            >
              {shortened(name, 24)}
              <title>{name}</title>
            </text>
            <circle cx={left - 10} cy={top + 20 + at * row} r={4} fill={colour} />
          </g>
        ))}
        {regions.map((region, at) => (
          <Combination
            key={region.groups.join()}
            {...{ region, groups, top, row }}
            x={left + 13 + at * step}
            height={(120 * (region.patients ?? 0)) / longest}
          />
        ))}
      </svg>
    </div>
  );
}

interface CombinationProps {
  region: Region;
  groups: readonly Drawn[];
  x: number;
  /** Height of the bar, bottom of the bars, and height of a row, in pixels. */
  height: number;
  top: number;
  row: number;
}

function Combination({ region, groups, x, height, top, row }: CombinationProps) {
  const places = placesOf(region.groups, groups);
  const y = (at: number): number => top + 20 + at * row;
  return (
    <g>
      <rect
        x={x - 8}
        y={top - height}
        width={16}
        height={height}
        fill={places.length > 1 ? mainColour : restColour}
      />
      <text x={x} y={top - height - 4} textAnchor="middle" fontSize={labelSize} fill="currentColor">
        {region.patients?.toLocaleString()}
      </text>
      <line
        x1={x}
        x2={x}
        y1={y(places[0] ?? 0)}
        y2={y(places.at(-1) ?? 0)}
        stroke="currentColor"
        strokeWidth={2}
      />
      {groups.map(({ id }, at) => (
        <circle
          key={id}
          cx={x}
          cy={y(at)}
          r={6}
          fill="currentColor"
          fillOpacity={places.includes(at) ? 1 : 0.12}
        />
      ))}
    </g>
  );
}

const placesOf = (ids: readonly string[], groups: readonly Drawn[]): number[] =>
  ids.map((id) => groups.findIndex((one) => one.id === id)).sort((one, next) => one - next);

const shortened = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1)}…` : text;

/** Describes the figure for readers who do not see it. */
function wordsOf({ regions }: Found, groups: readonly Drawn[]): string {
  const parts = regions.map(({ groups: ids, patients }) => {
    const names = placesOf(ids, groups).map((at) => groups[at]?.name ?? '');
    return `${names.join(' and ')}: ${patients ?? 'few'}`;
  });
  return `Overlap of groups. ${parts.join('; ')}`;
}
