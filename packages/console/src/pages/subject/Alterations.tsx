import { Badge, Card, Group, Text, Title } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useMemo } from 'react';
import type { Row } from '../../api/ask.ts';
import { Chart } from '../../chart/Chart.tsx';
import { labelSize, mainColour } from '../../design/palette.ts';
import { AnchorLink } from '../../shell/links.tsx';
import { shortChange } from '../../study/variant-test.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { shownShare } from '../../words/dictionary.ts';

/** One alteration in the samples that have it. */
export interface Alteration {
  gene: string;
  change: string;
  type: string;
  isDriver: boolean;
  isPathogenic: boolean;
  isGermline: boolean;
  /** Share of the reads by the id of the sample; null where it is not known. */
  fractions: ReadonlyMap<string, number | null>;
}

/** Joins rows that are the same alteration in several samples; drivers first, then pathogenic ones, then by gene. */
export function alterationsIn(rows: readonly Row[]): Alteration[] {
  const groups = Map.groupBy(rows, (row) =>
    ['gene', 'kind', 'class', 'chromosome', 'position', 'alternate', 'protein_change', 'partner_gene']
      .map((name) => String(row[name] ?? ''))
      .join('\u0000'),
  );
  const found = [...groups.values()].map((list): Alteration => {
    const [first = {}] = list;
    const { protein_change: protein, partner_gene: partner } = first;
    const words = [typeof protein === 'string' && shortChange(protein), partner && `with ${partner}`];
    return {
      gene: String(first['gene'] ?? ''),
      change: words.filter(Boolean).join(' '),
      type: String(first['class'] ?? first['kind'] ?? ''),
      isDriver: list.some(({ driver }) => driver === 'driver'),
      isPathogenic: list.some((row) => /(?:^|[^n])pathogenic/i.test(significanceOf(row))),
      isGermline: list.some(({ status }) => status === 'germline'),
      fractions: new Map(
        list.map((row) => [
          String(row['sample_id']),
          typeof row['allele_fraction'] === 'number' ? row['allele_fraction'] : null,
        ]),
      ),
    };
  });
  const rank = ({ isDriver, isPathogenic }: Alteration): number => (isDriver ? 0 : isPathogenic ? 1 : 2);
  return found.sort((one, other) => rank(one) - rank(other) || one.gene.localeCompare(other.gene));
}

/** Significance without reports that contradict each other. */
const significanceOf = (row: Row): string =>
  String(row['clinical_significance'] ?? '').replace(/conflicting[^|;]*/i, '');

/** Alterations that matter most, as words. */
export function KeyAlterations({ list, project }: { list: readonly Alteration[]; project: string }) {
  const known = list.filter(({ isDriver, isPathogenic }) => isDriver || isPathogenic);
  if (known.length === 0) return <Text size="sm">None known as a driver or as pathogenic.</Text>;
  return (
    <Group gap={6}>
      {known.slice(0, keyMax).map(({ gene, change, type, isGermline, fractions }) => {
        const shares = [...fractions.values()].filter((one) => one !== null);
        const share = shares.length > 0 ? ` · ${shownShare(Math.max(...shares))}` : '';
        return (
          <Badge
            key={`${gene} ${change} ${type}`}
            variant="light"
            size="lg"
            title={`${type}${isGermline ? ', germline' : ''}`}
          >
            <AnchorLink
              size="sm"
              fw={700}
              to="/projects/$project/variants"
              params={{ project }}
              search={{ gene }}
            >
              {gene}
            </AnchorLink>{' '}
            <bdi>{change || type}</bdi>
            {share}
          </Badge>
        );
      })}
      {known.length > keyMax && <Text size="sm">and {known.length - keyMax} more</Text>}
    </Group>
  );
}

const keyMax = 12;

/** Alterations of all samples side by side, with the shares of reads, drivers first. */
export function Alterations({ list, samples }: { list: readonly Alteration[]; samples: readonly string[] }) {
  const columns: Column<Alteration>[] = [
    { name: 'gene', value: ({ gene }) => gene },
    { name: 'protein_change', value: ({ change }) => change },
    { name: 'class', value: ({ type }) => type },
    { name: 'judgement', value: judgementOf },
    { name: 'origin', value: ({ isGermline }) => (isGermline ? 'germline' : '') },
    ...samples.map(
      (sample): Column<Alteration> => ({
        name: sample,
        numeric: true,
        value: ({ fractions }) => fractions.get(sample) ?? (fractions.has(sample) ? 'yes' : null),
        render: ({ fractions }) => <Fraction share={fractions.get(sample)} />,
      }),
    ),
  ];
  return (
    <Card withBorder padding="sm" component="section" aria-label="Alterations">
      <Title order={2} size="h4" mb="xs">
        Alterations by sample
      </Title>
      <Grid name="Alterations" columns={columns} rows={list} heightMax={330} />
      {samples.length > 1 && <FractionsPlot list={list} samples={samples} />}
    </Card>
  );
}

function judgementOf({ isDriver, isPathogenic }: Alteration): string {
  return isDriver ? 'driver' : isPathogenic ? 'pathogenic' : '';
}

/** A share of reads as a bar and as a number; undefined: not found in the sample. */
function Fraction({ share }: { share: number | null | undefined }) {
  if (share === undefined) return '–';
  if (share === null) return 'yes';
  return (
    <span className="fraction">
      <span
        className="fraction-bar"
        style={{ width: `${Math.min(1, share) * 40}px`, background: mainColour }}
      />
      {shownShare(share)}
    </span>
  );
}

/** Shares of reads of each alteration across the samples; a sample without a share has no point. */
function FractionsPlot({ list, samples }: { list: readonly Alteration[]; samples: readonly string[] }) {
  const points = useMemo(
    () =>
      list.flatMap(({ gene, change, fractions }) =>
        [...fractions].flatMap(([sample, share]) =>
          share === null ? [] : [{ sample, alteration: `${gene} ${change}`.trim(), share }],
        ),
      ),
    [list],
  );
  const options = useMemo(
    (): Plot.PlotOptions => ({
      x: { domain: [...samples], label: null, type: 'point' },
      y: { label: 'share of reads', domain: [0, 1], tickFormat: '%', grid: true },
      marks: [
        Plot.line(points, {
          x: 'sample',
          y: 'share',
          z: 'alteration',
          stroke: mainColour,
          strokeOpacity: 0.6,
        }),
        Plot.dot(points, {
          x: 'sample',
          y: 'share',
          fill: mainColour,
          tip: true,
          channels: { alteration: 'alteration' },
        }),
        Plot.text(
          points,
          Plot.selectLast({
            x: 'sample',
            y: 'share',
            z: 'alteration',
            text: 'alteration',
            dx: 6,
            textAnchor: 'start',
            fontSize: labelSize,
          }),
        ),
      ],
      marginRight: 150,
    }),
    [points, samples],
  );
  return points.length > 0 ? (
    <Chart title="Share of reads by sample" data={points} options={options} />
  ) : null;
}
