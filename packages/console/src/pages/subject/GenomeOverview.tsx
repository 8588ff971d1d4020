import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Row, rows } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { Chart } from '../../chart/Chart.tsx';
import { categories, labelSize, printColours, restColour } from '../../design/palette.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { type Alteration, isKnown } from './alterations-in.ts';
import { apart, GenomeAxis, type Segment, segmentsIn } from './places.ts';
import type { Sample } from './samples.ts';

/** Rows of copy numbers that a request has at most. */
const rowsMax = 10_000;
const fields = ['sample_id', 'chromosome', 'start_position', 'end_position', 'copy_number', 'gene'];
/** Heights in pixels: of a sample, of the names of genes, and of the names of chromosomes. */
const [sampleHeight, labelsHeight, axisHeight] = [40, 26, 24];
/** Part of a sample that its segments have; ticks of alterations are above. */
const bandShare = 0.55;
/** Distance of the names of genes, in pixels. */
const labelGap = 54;
/** Copies in double steps from two at which a colour is full. */
const fullSteps = 1.5;
/** Colours differ for each kind of colour vision. */
const { amplification: gainColour, deletion: lossColour } = printColours.distinct;

interface Props {
  project: string;
  /** Condition that rows are about the patient. */
  where: Where;
  hasCopies: boolean;
  list: readonly Alteration[];
  samples: readonly Sample[];
}

/** Chromosomes side by side, with the copy numbers and alterations of each sample. */
export function GenomeOverview({ project, where, hasCopies, ...drawn }: Props) {
  // Segments are few; genes of a whole genome are not, so those with two copies are left out.
  const isSegment: Where = { and: [where, { copynumber: { gene: [{ operator: 'exists', value: false }] } }] };
  const isChanged: Where = { and: [where, { copynumber: { copy_number: [{ operator: 'ne', value: 2 }] } }] };
  const asked = (condition: Where) => ({
    ...rows(project, { target: 'copynumber', where: condition, options: { fields, limit: rowsMax } }),
    retry: false,
  });
  const segments = useQuery({ ...asked(isSegment), enabled: hasCopies });
  const hasNone = segments.data?.length === 0;
  const genes = useQuery({ ...asked(isChanged), enabled: hasCopies && hasNone });
  const error = segments.error ?? genes.error;
  if (error) return <ErrorAlert error={error} />;
  const copies = (hasNone ? genes.data : segments.data) ?? [];
  return <Drawn {...drawn} copies={copies} isOfGenes={hasNone} />;
}

interface DrawnProps extends Pick<Props, 'list' | 'samples'> {
  copies: readonly Row[];
  isOfGenes: boolean;
}

function Drawn({ list, samples, copies, isOfGenes }: DrawnProps) {
  const marks = useMemo(() => ticksOf(list, samples), [list, samples]);
  const axis = useMemo(
    () =>
      new GenomeAxis([
        ...marks.map(({ chromosome, position }) => ({ chromosome, end: position })),
        ...copies.map((row) => ({
          chromosome: String(row['chromosome']),
          end: Number(row['end_position']) || 0,
        })),
      ]),
    [marks, copies],
  );
  const { segments, leftOut } = useMemo(() => segmentsIn(copies, axis), [copies, axis]);
  const options = useMemo(
    () => (width: number) => optionsOf({ axis, segments, marks, samples, width }),
    [axis, segments, marks, samples],
  );
  if (segments.length === 0 && marks.length === 0) return null;
  const notes = [
    `Ticks: mutations and fusions, known ones in red.`,
    segments.length > 0 &&
      `Bars: ${isOfGenes ? 'genes with other than two copies' : 'segments'}, orange above two copies and blue below.`,
    copies.length === rowsMax && `Only the first ${rowsMax.toLocaleString()} copy numbers are drawn.`,
    leftOut > 0 &&
      `${leftOut.toLocaleString()} copy numbers without a place on these chromosomes are left out.`,
  ];
  return (
    <section aria-label="Genome">
      <Chart title="Genome" data={[...segments, ...marks]} options={options} />
      <Text size="xs" mt={4}>
        {notes.filter(Boolean).join(' ')}
      </Text>
    </section>
  );
}

interface Tick extends Record<string, unknown> {
  gene: string;
  alteration: string;
  chromosome: string;
  position: number;
  sample: string;
  known: boolean;
}

/** Lists mutations and fusions with a place, in each sample that has them. */
function ticksOf(list: readonly Alteration[], samples: readonly Sample[]): Tick[] {
  return list.flatMap((alteration) => {
    const { gene, change, type, kind, place, fractions } = alteration;
    if (kind === 'copy_number' || place === undefined) return [];
    const known = isKnown(alteration);
    return samples
      .filter(({ id }) => fractions.has(id))
      .map(({ id }) => ({ gene, alteration: change || type, ...place, sample: id, known }));
  });
}

interface Parts {
  axis: GenomeAxis;
  segments: Segment[];
  marks: Tick[];
  samples: readonly Sample[];
  width: number;
}

function optionsOf({ axis, segments, marks, samples, width }: Parts): Plot.PlotOptions {
  const rowOf = new Map(samples.map(({ id }, at) => [id, at]));
  const [marginLeft, marginRight] = [34, 8];
  const inner = Math.max(80, width - marginLeft - marginRight);
  const placed = marks.flatMap((mark) => {
    const x = axis.at(mark.chromosome, mark.position);
    const row = rowOf.get(mark.sample);
    return x === undefined || row === undefined ? [] : [{ ...mark, x, row }];
  });
  const named = [
    ...new Map(placed.filter(({ known }) => known).map((mark) => [mark.gene, mark])).values(),
  ].slice(0, Math.max(1, Math.floor(inner / labelGap)));
  const scale = axis.length / inner;
  const labels = apart(
    named.map(({ x }) => x),
    labelGap * scale,
    (labelGap / 2) * scale,
    axis.length - (labelGap / 2) * scale,
  );
  const height = labelsHeight + samples.length * sampleHeight + axisHeight;
  const band = { y1: (one: Segment) => (rowOf.get(one.sample) ?? 0) + 1 - bandShare };
  const bottom = (one: Segment): number => (rowOf.get(one.sample) ?? 0) + 1 - 0.08;
  const middle = (one: Segment): number => (rowOf.get(one.sample) ?? 0) + 1 - (bandShare + 0.08) / 2;
  const steps = ({ copies }: Segment): number => Math.log2(Math.max(copies, 0.05) / 2);
  const known = segments.filter(({ sample }) => rowOf.has(sample));
  return {
    ...{ height, marginLeft, marginRight, marginTop: labelsHeight, marginBottom: axisHeight },
    x: { domain: [0, axis.length], axis: null },
    y: { domain: [0, samples.length], reverse: true, axis: null },
    marks: [
      Plot.rect(
        axis.chromosomes.filter((_, at) => at % 2 === 1),
        { x1: 'start', x2: 'end', y1: 0, y2: samples.length, fill: 'currentColor', fillOpacity: 0.06 },
      ),
      Plot.text(
        axis.chromosomes.filter(({ start, end }) => end - start > 15 * scale),
        {
          ...{ x: ({ start, end }) => (start + end) / 2, y: samples.length, text: 'name' },
          ...{ dy: 12, fontSize: labelSize },
        },
      ),
      Plot.text(samples, {
        ...{
          x: 0,
          y: (_: Sample, at: number) => at + 1 - bandShare / 2,
          text: ({ number }) => String(number),
        },
        ...{ dx: -18, fontSize: labelSize, fontWeight: 600 },
      }),
      Plot.link(known, {
        ...{ x1: 'start', x2: 'end', y1: middle, y2: middle, stroke: restColour, strokeOpacity: 0.7 },
      }),
      Plot.rect(known, {
        ...{ x1: 'start', x2: 'end', ...band, y2: bottom, insetLeft: -0.5, insetRight: -0.5 },
        fill: (one: Segment) => (one.copies > 2 ? gainColour : lossColour),
        fillOpacity: (one: Segment) => Math.min(1, Math.abs(steps(one)) / fullSteps),
      }),
      Plot.ruleX(
        placed.filter((mark) => !mark.known),
        {
          x: 'x',
          y1: ({ row }) => row + 0.18,
          y2: ({ row }) => row + 0.42,
          stroke: restColour,
          strokeOpacity: 0.8,
        },
      ),
      Plot.ruleX(
        placed.filter((mark) => mark.known),
        {
          x: 'x',
          y1: ({ row }) => row + 0.06,
          y2: ({ row }) => row + 0.42,
          stroke: categories[4],
          strokeWidth: 2.5,
        },
      ),
      Plot.text(named, {
        ...{ x: (_: Tick, at: number) => labels[at], y: 0, text: 'gene', dy: -12, fontSize: labelSize },
      }),
      Plot.tip(
        [...placed, ...known.map((one) => ({ ...one, x: (one.start + one.end) / 2, row: middle(one) }))],
        Plot.pointer({
          x: 'x',
          y: ({ row }: { row: number }) => row + 0.3,
          title: (one: Record<string, unknown>) => tipText(one),
        }),
      ),
    ],
  };
}

function tipText(one: Record<string, unknown>): string {
  const { sample, chromosome, gene } = one;
  if ('copies' in one) {
    const copies = Number(one['copies']).toLocaleString(undefined, { maximumSignificantDigits: 3 });
    return `${gene ? `${gene}: ` : ''}${copies} copies\n${chromosome}:${one['from']}-${one['to']}\n${sample}`;
  }
  return `${gene} ${one['alteration']}\n${chromosome}:${one['position']}\n${sample}`;
}
