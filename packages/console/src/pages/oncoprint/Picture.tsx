import { Group, Text } from '@mantine/core';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { type Cell, heightOf, type Range, type Row } from './print/geometry.ts';
import type { Scene } from './print/paint.ts';
import { usePainter } from './print/usePainter.ts';
import { lineText } from './print/words.ts';

interface Props {
  scene: Scene;
  title: string;
  /** Names of the lines, which stay in view. */
  labels: ReactNode;
  nameOf: (row: Row) => string;
  selected: readonly Range[];
  /** Called with the range that was chosen; `adds`: beside those before. */
  select: (range: Range, adds: boolean) => void;
  /** Called to change the width of columns around a place. */
  zoom: (factor: number) => void;
  /** Width of the names, in pixels. */
  namesWidth: number;
  /** Receives the element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>;
}

/** Returns the width of the names beside a picture, in pixels. */
export const namesWidthIn = (width: number): number => (width > 520 ? 210 : 120);

/** Cells of an oncoprint: only the part in view is drawn. Mouse, touch and keyboard show a cell and choose subjects. */
export function Picture(props: Props) {
  const { scene, title, labels, nameOf, selected, select, zoom, namesWidth, scroller: box } = props;
  const { rows, columns, order, print } = scene;
  const height = heightOf(rows);
  const canvas = useRef<HTMLCanvasElement>(null);
  const dragged = useRef<number>(undefined);
  const [cell, setCell] = useState<Cell>();
  const [isByKey, setByKey] = useState(false);
  const paint = usePainter({ canvas, box, scene, selected, focused: isByKey ? cell : undefined, namesWidth });
  useEffect(() => {
    const frame = requestAnimationFrame(paint);
    return () => cancelAnimationFrame(frame);
  }, [paint]);
  useZoom(box, columns.wide, namesWidth, zoom);
  const cellAt = (event: PointerEvent): Cell | undefined => {
    const bounds = canvas.current?.getBoundingClientRect();
    if (!bounds || columns.count === 0) return undefined;
    const x = event.clientX - bounds.left + (box.current?.scrollLeft ?? 0);
    const y = event.clientY - bounds.top;
    const row = rows.findIndex(({ top, height: tall }) => y < top + tall + 2);
    return { row: row < 0 ? rows.length - 1 : row, place: columns.at(x) };
  };
  const finish = (event: PointerEvent): void => {
    const end = cellAt(event);
    const from = dragged.current;
    dragged.current = undefined;
    if (end === undefined || from === undefined) return;
    const range = { from: Math.min(from, end.place), to: Math.max(from, end.place) };
    select(range, event.shiftKey || event.ctrlKey || event.metaKey);
  };
  const press = (event: KeyboardEvent): void => {
    const now = cell ?? { row: 0, place: 0 };
    const next = cellAfter(event.key, now, rows.length, columns.count);
    if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 1.5 : 1 / 1.5);
    else if (event.key === 'Enter' || event.key === ' ')
      select({ from: now.place, to: now.place }, event.ctrlKey || event.metaKey || event.shiftKey);
    else if (next === undefined) return;
    else {
      setCell(next);
      setByKey(true);
      if (event.shiftKey) {
        const last = selected.at(-1) ?? { from: now.place, to: now.place };
        select({ from: Math.min(last.from, next.place), to: Math.max(last.to, next.place) }, false);
      }
      showPlace(box.current, columns.left(next.place), columns.wide, namesWidth);
    }
    event.preventDefault();
  };
  const row = cell && rows[cell.row];
  const subject = cell && order[cell.place];
  const words = row && subject !== undefined ? `${nameOf(row)}: ${lineText(print, row, subject)}` : undefined;
  return (
    <div>
      <div className="print" ref={box} id="oncoprint" onScroll={paint}>
        <div style={{ display: 'flex', width: namesWidth + columns.width, height }}>
          <div className="print-names" style={{ width: namesWidth, height }}>
            {labels}
          </div>
          <div
            className="print-cells"
            style={{ left: namesWidth }}
            role="application"
            aria-roledescription="Oncoprint"
            aria-label={title}
            aria-description="Arrow keys move between cells, Shift with them chooses a range, Enter chooses a subject, plus and minus zoom. The table below has the numbers."
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move within an application (ARIA 1.2, §5.4)
            tabIndex={0}
            onKeyDown={press}
            onBlur={() => setByKey(false)}
            onPointerDown={(event) => {
              dragged.current = cellAt(event)?.place;
              event.currentTarget.setPointerCapture(event.pointerId);
            }}
            onPointerUp={finish}
            onPointerMove={(event) => {
              setByKey(false);
              setCell(cellAt(event));
            }}
            onPointerLeave={() => setCell(undefined)}
          >
            <canvas ref={canvas} />
          </div>
        </div>
      </div>
      <Group gap="xs" mih={24} mt={4} role="status" wrap="nowrap">
        {words !== undefined && subject !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <b>
              <bdi>{print.subjects[subject]}</bdi>
            </b>{' '}
            · <bdi>{words}</bdi>
          </Text>
        )}
      </Group>
    </div>
  );
}

/** Quiet time after which turns of the wheel are one change of the address, in milliseconds. */
const wheelQuietMs = 120;

/** Zooms by Ctrl and the wheel, and keeps what is in the middle there when columns get wider or narrower. */
function useZoom(
  box: RefObject<HTMLDivElement | null>,
  wide: number,
  namesWidth: number,
  zoom: (factor: number) => void,
): void {
  const before = useRef(wide);
  const latest = useRef(zoom);
  useEffect(() => {
    latest.current = zoom;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (element && before.current !== wide) {
      const half = (element.clientWidth - namesWidth) / 2;
      element.scrollLeft = ((element.scrollLeft + half) * wide) / before.current - half;
    }
    before.current = wide;
  }, [box, wide, namesWidth]);
  useEffect(() => {
    const element = box.current;
    let factor = 1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      factor *= event.deltaY < 0 ? 1.2 : 1 / 1.2;
      clearTimeout(timer);
      timer = setTimeout(() => {
        latest.current(factor);
        factor = 1;
      }, wheelQuietMs);
    };
    element?.addEventListener('wheel', turn, { passive: false });
    return () => {
      clearTimeout(timer);
      element?.removeEventListener('wheel', turn);
    };
  }, [box]);
}

/** Returns the cell that a key leads to; undefined for other keys. */
function cellAfter(key: string, { row, place }: Cell, rows: number, count: number): Cell | undefined {
  const last = { row: rows - 1, place: count - 1 };
  const to = (line: number, column: number): Cell => ({
    row: Math.max(0, Math.min(last.row, line)),
    place: Math.max(0, Math.min(last.place, column)),
  });
  switch (key) {
    case 'ArrowRight':
      return to(row, place + 1);
    case 'ArrowLeft':
      return to(row, place - 1);
    case 'ArrowDown':
      return to(row + 1, place);
    case 'ArrowUp':
      return to(row - 1, place);
    case 'PageDown':
      return to(row, place + 50);
    case 'PageUp':
      return to(row, place - 50);
    case 'Home':
      return to(row, 0);
    case 'End':
      return to(row, last.place);
    default:
      return undefined;
  }
}

function showPlace(box: HTMLDivElement | null, left: number, wide: number, namesWidth: number): void {
  if (!box) return;
  const width = box.clientWidth - namesWidth;
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (left + wide > box.scrollLeft + width) box.scrollLeft = left + wide - width;
}
