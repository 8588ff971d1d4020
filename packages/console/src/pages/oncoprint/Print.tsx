import { Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSize } from '../../chart/useSize.ts';
import { printColours } from '../../design/palette.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import type { Conditions } from '../../study/conditions.ts';
import type { Attribute } from '../../study/study.ts';
import { Grid } from '../../table/Grid.tsx';
import { Controls, isOn } from './Controls.tsx';
import { KeepMenu } from './keep/KeepMenu.tsx';
import { Legend } from './Legend.tsx';
import { legendOf } from './legend-of.ts';
import { type Line, linesOf, namedLine } from './lines.ts';
import { Minimap } from './Minimap.tsx';
import { Names } from './Names.tsx';
import { namesWidthIn, Picture } from './Picture.tsx';
import type { Answer, Print as Decoded, Merged } from './print/decode.ts';
import { Columns, groupGap, type Range } from './print/geometry.ts';
import { clusteredMax, type Ordered, type Sorting } from './print/order.ts';
import type { Scene } from './print/paint.ts';
import { useOrder } from './print/useOrder.ts';
import { totalText } from './print/words.ts';
import { Selection } from './Selection.tsx';
import { type GeneLine, type Settings, wideRange, writeGenes } from './settings.ts';

interface Props {
  project: string;
  settings: Settings;
  conditions: Conditions;
  attributes: readonly Attribute[];
  change: (part: Partial<Settings>) => void;
  setConditions: (conditions: Conditions) => void;
  rows: readonly GeneLine[];
  answer: Answer;
  /** Answer is that of an earlier state of the page. */
  isStale: boolean;
}

/** Width of a column that fills a page with few subjects, in pixels. */
const fitMax = 24;

/** Drawing of an answer with its controls. Decoding and order are computed beside the page. */
export function Print(props: Props) {
  const { rows, answer, settings } = props;
  const merged = rows.filter((row): row is Merged => typeof row !== 'string');
  const { shown, error } = useOrder(answer, merged, sortingOf(rows, merged, answer, settings));
  if (error) return <ErrorAlert error={error} />;
  if (!shown) return <Waiting />;
  return <Shown {...props} {...shown} />;
}

/** Translates names of the settings into places of the answer. */
export function sortingOf(
  rows: readonly GeneLine[],
  merged: readonly Merged[],
  { genes, tracks }: Answer,
  settings: Settings,
): Sorting {
  const trackAt = (attribute: string): number => tracks.findIndex((one) => one.attribute === attribute);
  const gap = settings.gap === undefined ? -1 : trackAt(settings.gap);
  return {
    genes: rows
      .map((row) =>
        typeof row === 'string'
          ? genes.findIndex(({ gene }) => gene === row)
          : genes.length + merged.indexOf(row),
      )
      .filter((at) => at >= 0),
    tracks: settings.lead
      .map(({ attribute, descending }) => ({ track: trackAt(attribute), descending }))
      .filter(({ track }) => track >= 0),
    ...{ by: settings.by, byType: isOn(settings, 'types'), byDriver: isOn(settings, 'drivers') },
    gap: gap < 0 ? undefined : gap,
    hideUnaltered: !isOn(settings, 'unaltered'),
    hideUnprofiled: !isOn(settings, 'unprofiled'),
    given: settings.ids,
  };
}

function Shown(props: Props & { print: Decoded; ordered: Ordered }) {
  const { project, settings, conditions, attributes, change, setConditions, print, ordered, rows } = props;
  const [reference, { width: fullWidth }] = useSize();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const noun = settings.unit === 'sample' ? 'sample' : 'subject';
  const namesWidth = namesWidthIn(fullWidth);
  const inner = Math.max(100, fullWidth - namesWidth - 2);
  const { order, groups } = ordered;
  const gaps = groups.length > 1 ? groups.length * groupGap : 0;
  // Gaps may take more than a narrow page has.
  const room = Math.max(inner - gaps, inner / 2);
  const fit = Math.min(fitMax, room / Math.max(1, order.length));
  const wide = settings.wide ?? Math.max(wideRange.min, fit);
  const lines = useMemo(() => linesOf(print, ordered, rows, settings), [print, ordered, rows, settings]);
  const scene = useMemo<Scene>(
    () => ({
      ...{ print, order, rows: lines.map(({ row }) => row) },
      ...{ columns: new Columns(order.length, wide, groups), hasBlanks: isOn(settings, 'blanks') },
      colours: printColours[settings.palette],
    }),
    [print, order, groups, wide, settings, lines],
  );
  const selected = useMemo(() => rangesOf(chosen, order), [chosen, order]);
  // Places are those of one print.
  useEffect(() => setChosen((now) => (print && now.size > 0 ? new Set() : now)), [print]);
  const nameOf = useCallback(
    (id: string): string => attributes.find((one) => one.id === id)?.name ?? id,
    [attributes],
  );
  const genes = lines.flatMap((line) => (line.kind === 'gene' ? line.at : []));
  const state = { print, ordered, settings, conditions, noun, nameOf, change, setConditions };
  const named = lines.map((line) => namedLine(line, { ...state, genes: rows, choose: setChosen }));
  const select = ({ from, to }: Range, adds: boolean): void =>
    setChosen(new Set([...(adds ? chosen : []), ...order.subarray(from, to + 1)]));
  const zoom = (factor: number): void =>
    change({ wide: Math.min(wideRange.max, Math.max(wideRange.min, wide * factor)) });
  return (
    <div ref={reference}>
      <Controls
        {...{ settings, attributes, change, zoom }}
        shownGenes={writeGenes(rows)}
        grouping={attributes.filter(({ type }) => type !== 'number').map(({ id }) => id)}
      >
        <KeepMenu
          kept={() => ({
            ...{ title: 'oncoprint', scene, names: named },
            legend: legendOf({ print, genes, colours: scene.colours, nameOf }),
          })}
          noun={noun}
        />
      </Controls>
      <Text size="sm" my={6} role="status" style={{ opacity: props.isStale ? 0.6 : 1 }}>
        {totalText(ordered, print.subjects.length, noun)}
        {ordered.isUnclustered &&
          ` · More than ${clusteredMax.toLocaleString()} are not clustered: they are in the order of their alterations`}
      </Text>
      <Selection
        {...{ project, unit: settings.unit, conditions }}
        ids={[...chosen].map((place) => print.subjects[place] ?? '')}
        patients={[...new Set([...chosen].flatMap((place) => print.patients[place] ?? []))]}
        change={setConditions}
        clear={() => setChosen(new Set())}
      />
      <Picture
        {...{ scene, select, zoom, selected, namesWidth, scroller }}
        title={`Oncoprint of ${print.subjects.length.toLocaleString()} ${noun}s`}
        labels={<Names rows={scene.rows} named={named} />}
        nameOf={(row) => named[scene.rows.indexOf(row)]?.name ?? ''}
      />
      {wide < 1 && (
        <Text size="xs">
          Several {noun}s share a pixel: each alteration is as wide as one, and tracks show the most frequent
          value.
        </Text>
      )}
      {isOn(settings, 'map') && <Minimap {...{ scene, namesWidth, scroller }} width={inner} />}
      <Legend {...{ print, genes, nameOf }} colours={scene.colours} />
      <GeneGrid rows={sharesOf(lines, ordered, print)} />
    </div>
  );
}

/** Lists the shown genes with their numbers of altered and profiled subjects. */
export function sharesOf(lines: readonly Line[], ordered: Ordered, print: Decoded) {
  return lines.flatMap((line) => {
    const share = line.kind === 'gene' ? ordered.shares[line.at] : undefined;
    return line.kind === 'gene' && share ? [{ name: print.genes[line.at]?.name ?? '', ...share }] : [];
  });
}

/** Shares of the genes as a table, for those who read no pictures. */
function GeneGrid({ rows }: { rows: ReturnType<typeof sharesOf> }) {
  return (
    <details className="print-table">
      <summary>Table of the genes</summary>
      <Grid
        name="Genes of the oncoprint"
        heightMax={320}
        columns={[
          { name: 'gene', value: ({ name }) => name },
          { name: 'altered', value: ({ altered }) => altered, numeric: true },
          { name: 'profiled', value: ({ profiled }) => profiled, numeric: true },
          {
            name: 'of_profiled',
            value: ({ altered, profiled }) => (profiled === 0 ? null : altered / profiled),
            numeric: true,
          },
        ]}
        rows={rows}
      />
    </details>
  );
}

/** Returns the ranges of columns that the chosen subjects take in an order. */
function rangesOf(chosen: ReadonlySet<number>, order: Uint32Array): Range[] {
  const ranges: Range[] = [];
  if (chosen.size === 0) return ranges;
  for (const [at, place] of order.entries()) {
    if (!chosen.has(place)) continue;
    const last = ranges.at(-1);
    if (last?.to === at - 1) last.to = at;
    else ranges.push({ from: at, to: at });
  }
  return ranges;
}
