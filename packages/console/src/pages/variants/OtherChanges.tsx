import { SimpleGrid } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Bucket, buckets, type Row, rows } from '../../api/ask.ts';
import { schema } from '../../api/lists.ts';
import { isOneOf } from '../../api/where.ts';
import { Chart } from '../../chart/Chart.tsx';
import { lyingBarsOf } from '../../chart/kinds.ts';
import { mainColour } from '../../design/palette.ts';
import { classText } from '../../words/dictionary.ts';
import { ofGene } from './mutations.ts';

/** Height of each drawing in pixels. */
const height = 200;

interface Props {
  project: string;
  gene: string;
}

/** Copy numbers, fusions and expression of a gene; what the project does not hold is left out. */
export function OtherChanges({ project, gene }: Props) {
  const { data: tables = [] } = useQuery(schema(project));
  const has = (name: string): boolean => tables.some(({ table }) => table === name);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {has('copynumber') && <Kind project={project} gene={gene} kind="copy_number" field="class" />}
      {has('fusion') && <Kind project={project} gene={gene} kind="fusion" field="partner_gene" />}
      {has('gene') && <Expression project={project} gene={gene} />}
    </SimpleGrid>
  );
}

interface KindProps extends Props {
  kind: 'copy_number' | 'fusion';
  field: 'class' | 'partner_gene';
}

const titles = { copy_number: 'Copy number', fusion: 'Fusions' } as const;

function Kind({ project, gene, kind, field }: KindProps) {
  const { data = [] } = useQuery(
    buckets(project, {
      target: 'alteration',
      where: ofGene(gene, kind),
      options: {
        groupBy: [field],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: 20,
      },
    }),
  );
  const bars = useMemo(() => barsOf(data, field), [data, field]);
  const options = useMemo(() => lyingBarsOf(bars, 'change', 'subjects', height), [bars]);
  if (bars.length === 0) return null;
  return <Chart title={`${titles[kind]} of ${gene}`} data={bars} options={options} />;
}

function barsOf(list: readonly Bucket[], field: string): Record<string, unknown>[] {
  return list.map(({ key, metrics }) => ({
    change: field === 'partner_gene' ? `with ${key[field] ?? 'no gene'}` : classText(String(key[field])),
    subjects: Number(metrics?.[0]?.value ?? 0),
  }));
}

function Expression({ project, gene }: Props) {
  const { data = [] } = useQuery(
    rows(project, {
      target: 'expression',
      where: { expression: { gene_name: isOneOf([gene]) } },
      options: { fields: ['expression', 'expression_unit', 'sample_id'] },
    }),
  );
  const values = useMemo(() => data.filter((row) => typeof row['expression'] === 'number'), [data]);
  const options = useMemo(() => histogramOf(values), [values]);
  if (values.length === 0) return null;
  return <Chart title={`Expression of ${gene}`} data={values} options={options} />;
}

function histogramOf(values: Row[]): Plot.PlotOptions {
  const unit = values[0]?.['expression_unit'];
  const input = { x: 'expression', fill: mainColour, tip: true } as Plot.BinXInputs<Plot.RectYOptions>;
  return {
    height,
    x: { label: typeof unit === 'string' ? unit : 'expression' },
    y: { grid: true, label: 'samples' },
    marks: [Plot.rectY(values, Plot.binX({ y: 'count' }, input)), Plot.ruleY([0])],
  };
}
