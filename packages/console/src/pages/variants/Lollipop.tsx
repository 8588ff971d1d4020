import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Bucket, buckets } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { Chart } from '../../chart/Chart.tsx';
import { categories, stemColour } from '../../design/palette.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { residueOf } from './conditions.ts';

/** Changes of the protein of a gene along it, by the number of carriers; of samples, where no patient is known. */
export function Lollipop({
  project,
  gene,
  where,
}: {
  project: string;
  gene: string;
  where: Where | undefined;
}) {
  const query = useQuery(
    buckets(project, {
      target: 'variant',
      where,
      options: {
        groupBy: ['amino_acid_change', 'ebcanon_class'],
        metrics: [
          { op: 'countDistinct', field: 'patient_id' },
          { op: 'countDistinct', field: 'sample_id' },
        ],
      },
    }),
  );
  return <Loaded query={query}>{(list) => <Drawing gene={gene} list={list} />}</Loaded>;
}

function Drawing({ gene, list }: { gene: string; list: Bucket[] }) {
  const { data, counted } = useMemo(() => changesIn(list), [list]);
  const options = useMemo(() => lollipopsOf(data, counted), [data, counted]);
  if (data.length === 0) return <Text size="sm">No variant of {gene} names a change of the protein.</Text>;
  return <Chart title={`Changes of the protein of ${gene}`} data={data} options={options} />;
}

type Change = Record<string, unknown> & { residue: number; change: string };

/** Reads the changes, and what their heights count: files without samples have rows alone. */
function changesIn(list: Bucket[]): { data: Change[]; counted: string } {
  const numbers = (bucket: Bucket): [string, number][] => [
    ['carriers', Number(bucket.metrics?.[0]?.value ?? 0)],
    ['samples', Number(bucket.metrics?.[1]?.value ?? 0)],
    ['rows', bucket.count],
  ];
  const at = [0, 1].find((one) => list.some((bucket) => numbers(bucket)[one]?.[1])) ?? 2;
  const data = list.flatMap((bucket): Change[] => {
    const change = String(bucket.key['amino_acid_change'] ?? '');
    const residue = residueOf(change);
    const height = numbers(bucket).slice(at, at + 1);
    if (residue === undefined) return [];
    return [{ residue, change, consequence: bucket.key['ebcanon_class'], ...Object.fromEntries(height) }];
  });
  return { data, counted: ['carriers', 'samples', 'rows'][at] ?? '' };
}

const width = 980;
/** Letters of a name at its size, in parts of the width of the chart. */
const nameWidth = 76 / width;

/** Chooses the most frequent changes whose names do not cover each other. */
function namedOf(data: Change[], counted: string, last: number): Change[] {
  const named: Change[] = [];
  for (const one of data.toSorted((a, b) => Number(b[counted]) - Number(a[counted])).slice(0, 20)) {
    const covers = (other: Change): boolean =>
      other[counted] === one[counted] && Math.abs(other.residue - one.residue) / last < nameWidth;
    if (named.length < 8 && !named.some(covers)) named.push(one);
  }
  return named;
}

function lollipopsOf(data: Change[], counted: string): Plot.PlotOptions {
  const last = Math.max(1, ...data.map(({ residue }) => residue));
  const common = namedOf(data, counted, last);
  return {
    width,
    height: 260,
    marginTop: 30,
    color: { legend: true, range: [...categories] },
    x: { label: 'residue', domain: [0, last], nice: true },
    y: { grid: true, label: counted },
    marks: [
      Plot.ruleX(data, { x: 'residue', y: counted, stroke: stemColour }),
      Plot.dot(data, {
        x: 'residue',
        y: counted,
        fill: 'consequence',
        r: 5,
        tip: true,
        channels: { change: 'change' },
      }),
      Plot.text(common, { x: 'residue', y: counted, text: 'change', dy: -12, fontSize: 10 }),
      Plot.ruleY([0]),
    ],
  };
}
