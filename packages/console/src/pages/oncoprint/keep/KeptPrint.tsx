import { useEffect, useMemo, useRef } from 'react';
import { svgIn } from '../../../chart/Chart.tsx';
import { printColours } from '../../../design/palette.ts';
import { useCollected } from '../../../reports/keeping.ts';
import { ErrorAlert, Waiting } from '../../../shell/Feedback.tsx';
import type { Attribute } from '../../../study/study.ts';
import { isOn } from '../Controls.tsx';
import { legendOf } from '../legend-of.ts';
import { linesOf, titleOf } from '../lines.ts';
import { sharesOf, sortingOf } from '../Print.tsx';
import type { Answer, Merged, Print } from '../print/decode.ts';
import { Columns, groupGap } from '../print/geometry.ts';
import type { Ordered } from '../print/order.ts';
import { useOrder } from '../print/useOrder.ts';
import { totalText } from '../print/words.ts';
import type { GeneLine, Settings } from '../settings.ts';
import { type Kept, svgOf } from './picture.ts';

interface Props {
  rows: readonly GeneLine[];
  answer: Answer;
  settings: Settings;
  attributes: readonly Attribute[];
}

/** Width of all columns of a kept oncoprint, and of the widest one, in pixels. */
const [columnsWidth, wideMax] = [620, 16];

/** Oncoprint in a report: one drawing with its legend, the same on the page, on paper and in a file. */
export function KeptPrint(props: Props) {
  const { rows, answer, settings } = props;
  const merged = rows.filter((row): row is Merged => typeof row !== 'string');
  const { shown, error } = useOrder(answer, merged, sortingOf(rows, merged, answer, settings));
  if (error) return <ErrorAlert error={error} />;
  if (!shown) return <Waiting />;
  return <Drawn {...props} {...shown} />;
}

function Drawn({ rows, settings, attributes, print, ordered }: Props & { print: Print; ordered: Ordered }) {
  const place = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(print, ordered, rows, settings), [print, ordered, rows, settings]);
  const drawing = useMemo(() => {
    const nameOf = (id: string): string => attributes.find((one) => one.id === id)?.name ?? id;
    const { order, groups } = ordered;
    const gaps = groups.length > 1 ? groups.length * groupGap : 0;
    const wide = Math.min(
      wideMax,
      Math.max(columnsWidth / 2, columnsWidth - gaps) / Math.max(1, order.length),
    );
    const colours = printColours[settings.palette];
    const genes = lines.flatMap((line) => (line.kind === 'gene' ? line.at : []));
    const kept: Kept = {
      title: 'Oncoprint',
      scene: {
        ...{ print, order, colours, hasBlanks: isOn(settings, 'blanks') },
        rows: lines.map(({ row }) => row),
        columns: new Columns(order.length, wide, groups),
      },
      names: lines.map((line) => titleOf(line, { ordered, nameOf })),
      legend: legendOf({ print, genes, colours, nameOf }),
    };
    return new DOMParser().parseFromString(svgOf(kept), 'image/svg+xml').documentElement;
  }, [print, ordered, lines, settings, attributes]);
  useEffect(() => {
    const svg = document.importNode(drawing, true);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', 'Oncoprint');
    place.current?.replaceChildren(svg);
  }, [drawing]);
  const data = sharesOf(lines, ordered, print).map(({ name, altered, profiled }) => ({
    ...{ gene: name, altered, profiled },
  }));
  useCollected({ title: 'Oncoprint', data, svg: () => svgIn(place.current) });
  const noun = settings.unit === 'sample' ? 'sample' : 'subject';
  return (
    <>
      <div ref={place} className="chart" />
      <p className="report-chosen">{totalText(ordered, print.subjects.length, noun)}.</p>
    </>
  );
}
