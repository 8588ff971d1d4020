import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { wholeTicks } from '../../chart/kinds.ts';
import { classColours, domainColours, labelSize, stemColour } from '../../design/palette.ts';
import { classText } from '../../words/dictionary.ts';
import type { Domain, Protein } from './domains.ts';
import { proteinOf } from './domains.ts';
import type { Mutation } from './mutations.ts';

interface Props {
  gene: string;
  mutations: Mutation[];
  /** Change that is chosen, in the short form. */
  chosen: string | undefined;
  choose: (change: string) => void;
}

/** Changes of a protein along it and its domains, by the number of subjects; a click on a dot chooses its carriers. */
export function Lollipop({ gene, mutations, chosen, choose }: Props) {
  const { data: protein = null } = useQuery(proteinOf(gene));
  const { dots, counted } = useMemo(() => dotsOf(mutations), [mutations]);
  const options = useMemo(() => drawingOf(dots, counted, protein, chosen), [dots, counted, protein, chosen]);
  const pick = useMemo(() => (row: Record<string, unknown>) => choose(String(row['change'])), [choose]);
  if (dots.length === 0) return <Text size="sm">No variant of {gene} names a change of the protein.</Text>;
  const title = `Changes of the protein of ${gene}${protein ? ` (${protein.uniprot}, ${protein.length} residues)` : ''}`;
  return <Chart title={title} data={dots} options={options} pick={pick} />;
}

type Dot = Record<string, unknown> & { residue: number; change: string; class: string };

/** Sums the carriers of each change; of samples where no subject is known. */
function dotsOf(mutations: Mutation[]): { dots: Dot[]; counted: string } {
  const counted = mutations.some(({ subjects }) => subjects > 0) ? 'subjects' : 'samples';
  const placed = mutations.filter(({ residue, change }) => residue !== undefined && change !== '');
  const dots = [...Map.groupBy(placed, ({ change }) => change)].map(
    ([change, list]): Dot => ({
      residue: list[0]?.residue ?? 0,
      change,
      class: commonest(list.map((one) => [one.class, one[counted]])),
      [counted]: list.reduce((sum, one) => sum + one[counted], 0),
    }),
  );
  return { dots: dots.sort((one, other) => Number(one[counted]) - Number(other[counted])), counted };
}

/** Returns the class with the most carriers. */
function commonest(counts: [name: string, carriers: number][]): string {
  const totals = new Map<string, number>();
  for (const [name, carriers] of counts) totals.set(name, (totals.get(name) ?? 0) + carriers);
  return [...totals].reduce((one, other) => (other[1] > one[1] ? other : one), ['other', 0])[0];
}

const height = 280;
/** Height of the band of domains in pixels. */
const bandHeight = 18;
const namesMax = 8;

/** Chooses the most frequent changes whose names do not cover each other. */
function namedOf(dots: Dot[], counted: string, last: number, width: number): Dot[] {
  const named: Dot[] = [];
  for (const one of dots.toReversed().slice(0, 30)) {
    const covers = (other: Dot): boolean =>
      (Math.abs(other.residue - one.residue) / last) * width < labelSize * 5 &&
      Math.abs(Number(other[counted]) - Number(one[counted])) < 1;
    if (named.length < namesMax && !named.some(covers)) named.push(one);
  }
  return named;
}

function drawingOf(dots: Dot[], counted: string, protein: Protein | null, chosen: string | undefined) {
  const last = Math.max(protein?.length ?? 0, ...dots.map(({ residue }) => residue));
  const highest = Math.max(1, ...dots.map((one) => Number(one[counted])));
  const domains = protein?.domains ?? [];
  const names = [...new Set(domains.map(({ name }) => name))];
  const colourOf = ({ name }: Domain): string =>
    domainColours[names.indexOf(name) % domainColours.length] ?? stemColour;
  // Height of the band of domains on the scale of the counts.
  const band = (highest * bandHeight) / (height - 90);
  const classes = Object.keys(classColours).filter((name) => dots.some((dot) => dot.class === name));
  return (width: number): Plot.PlotOptions => ({
    height,
    marginTop: 24,
    marginBottom: 34,
    color: {
      legend: true,
      domain: classes,
      range: classes.map((name) => classColours[name] ?? stemColour),
      tickFormat: classText,
    },
    x: { label: 'residue', domain: [0, last] },
    y: {
      grid: true,
      label: counted,
      domain: [-band, highest * 1.08],
      ticks: wholeTicks(highest),
      tickFormat: 'd',
    },
    marks: [
      Plot.rect([0], {
        x1: 0,
        x2: last,
        y1: -band * 0.75,
        y2: -band * 0.25,
        fill: stemColour,
        fillOpacity: 0.4,
        ariaHidden: 'true',
      }),
      Plot.rect(domains, {
        x1: 'start',
        x2: 'end',
        y1: -band,
        y2: 0,
        fill: colourOf,
        ariaHidden: 'true',
        title: ({ name, accession, start, end }: Domain) =>
          `${name} (${accession}), residues ${start}–${end}`,
      }),
      Plot.text(
        domains.filter(({ start, end, name }) => ((end - start) / last) * width > name.length * 7 + 6),
        { x: ({ start, end }: Domain) => (start + end) / 2, y: -band / 2, text: 'name', fill: 'white' },
      ),
      Plot.ruleX(dots, { x: 'residue', y1: 0, y2: counted, stroke: stemColour }),
      Plot.dot(dots, {
        x: 'residue',
        y: counted,
        fill: 'class',
        r: 6,
        stroke: (dot: Dot) => (dot.change === chosen ? 'currentColor' : 'none'),
        strokeWidth: 3,
        tip: true,
        channels: { change: 'change' },
      }),
      Plot.text(namedOf(dots, counted, last, width), { x: 'residue', y: counted, text: 'change', dy: -13 }),
      Plot.ruleY([0]),
    ],
  });
}
