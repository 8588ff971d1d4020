import { ActionIcon, Card, Group, Menu, Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Icon } from '../design/Icon.tsx';
import { labelSize } from '../design/palette.ts';
import { type Drawn, KeepableContext, useCollected } from '../reports/keeping.ts';
import { csvText, saveAs } from '../table/csv.ts';
import { makeChoosable, nameDrawing } from './choosable.ts';
import { pngOf, svgText } from './picture.ts';
import { useSize } from './useSize.ts';

/** Description of a drawing; a function where it depends on the room that it has, in pixels. */
export type Drawing = Plot.PlotOptions | ((width: number) => Plot.PlotOptions);

interface Props {
  title: string;
  /** Rows behind the chart, as they are exported. */
  data: Record<string, unknown>[];
  options: Drawing;
  /** Called with the row of a bar or dot that was chosen by mouse or keyboard. */
  pick?: (row: Record<string, unknown>) => void;
  /** Controls beside those of the chart. */
  children?: ReactNode;
}

/** Width of a chart before its card is measured, in pixels. */
const firstWidth = 480;
/** Width below which a card scrolls, in pixels. */
const widthMin = 120;
/** Lowest height of a drawing that fills its card, in pixels. */
const heightMin = 60;

/** A chart as wide as its card, that can be kept as SVG, PNG and data. */
export function Chart({ title, data, options, pick, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb={4} gap={4} wrap="nowrap">
        <Text fw={600} size="sm" truncate title={title}>
          {title}
        </Text>
        <Group gap={4} wrap="nowrap">
          {children}
          <KeepMenu title={title} data={data} svg={() => svgIn(place.current)} />
        </Group>
      </Group>
      <Plotted title={title} data={data} options={options} pick={pick} place={place} />
    </Card>
  );
}

/** Returns the drawing in an element; a legend of its colours may be before it. */
export function svgIn(place: Element | null): SVGSVGElement | null {
  return (
    [...(place?.querySelectorAll<SVGSVGElement>(':scope > svg, :scope > figure > svg') ?? [])].at(-1) ?? null
  );
}

interface PlottedProps extends Omit<Props, 'children'> {
  /** Element that holds the drawing. */
  place: RefObject<HTMLDivElement | null>;
  /** True: the drawing is as high as its room; else it has the height of its description. */
  isFilling?: boolean;
}

/** The drawing of a chart, as wide as the room that it has. */
export function Plotted({ title, data, options, pick, place, isFilling = false }: PlottedProps) {
  const [reference, size] = useSize();
  const { width } = size;
  const height = isFilling ? Math.max(heightMin, size.height) : undefined;
  useEffect(() => {
    const drawn = drawingOf(title, options, Math.max(widthMin, width || firstWidth), height);
    nameDrawing(drawn, title, pick !== undefined);
    if (pick) makeChoosable(drawn, data, pick);
    place.current?.replaceChildren(drawn);
    return () => drawn.remove();
  }, [options, data, title, pick, width, height, place]);
  return (
    <div ref={reference} className={isFilling ? 'chart-filling' : undefined}>
      <div ref={place} className={pick ? 'chart chart-clickable' : 'chart'} />
    </div>
  );
}

/** Draws a chart in a width, and in a height where its room has one, in pixels. */
function drawingOf(
  title: string,
  options: Drawing,
  width: number,
  height?: number,
): SVGSVGElement | HTMLElement {
  const given = typeof options === 'function' ? options(width) : options;
  return Plot.plot({
    height: 230,
    ...given,
    ...(height !== undefined && { height }),
    width,
    ariaLabel: title,
    style: { fontSize: `${labelSize}px` },
  });
}

/** Draws a chart for a file; for what a page shows as a list. */
export function pictureOf(title: string, options: Drawing): SVGSVGElement | null {
  const drawn = drawingOf(title, options, pictureWidth);
  return drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg');
}

/** Width of a drawing that is made for a file, in pixels. */
const pictureWidth = 640;

interface KeepProps extends Drawn {
  /** Id of the chart on a page of several. */
  chart?: string;
}

const KeepDialogue = lazy(async () => ({
  default: (await import('../reports/KeepDialogue.tsx')).KeepDialogue,
}));

/** Menu that saves a drawing and the rows behind it, or keeps it in a report. */
export function KeepMenu({ title, data, svg, chart }: KeepProps) {
  const keepable = useContext(KeepableContext);
  const [isKeeping, setKeeping] = useState(false);
  useCollected({ title, data, svg });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size={24} variant="subtle" color="gray" aria-label={`Save ${title}`} title="Save">
            <Icon name="download" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => saveSvg(title, svg())}>SVG</Menu.Item>
          <Menu.Item onClick={() => void savePng(title, svg())}>PNG</Menu.Item>
          <Menu.Item onClick={() => saveData(title, data)}>Data (CSV)</Menu.Item>
          {keepable && <Menu.Item onClick={() => setKeeping(true)}>Keep in a report…</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {keepable && isKeeping && (
        <Suspense>
          <KeepDialogue {...keepable} {...{ title, chart }} close={() => setKeeping(false)} />
        </Suspense>
      )}
    </>
  );
}

function saveSvg(title: string, svg: SVGSVGElement | null): void {
  if (svg) saveAs(`${title}.svg`, svgText(svg), 'image/svg+xml');
}

async function savePng(title: string, svg: SVGSVGElement | null): Promise<void> {
  if (svg) saveAs(`${title}.png`, await pngOf(svg), 'image/png');
}

function saveData(title: string, data: Record<string, unknown>[]): void {
  const names = [...new Set(data.flatMap((row) => Object.keys(row)))];
  saveAs(`${title}.csv`, csvText([names, ...data.map((row) => names.map((name) => row[name]))]), 'text/csv');
}
