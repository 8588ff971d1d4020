import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { type Cell, heightOf, type Range } from './geometry.ts';
import { drawnLines, fill, type Part, type Scene } from './paint.ts';

/** Longest time for which the page waits for lines of a drawing, in milliseconds. */
const sliceMs = 16;

/** Lines that are drawn, apart from what is chosen. */
interface Back {
  canvas: HTMLCanvasElement;
  /** Scene, part and colour of the texts. */
  of: readonly unknown[];
  isReady: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Returns a function that draws what is in view. Lines are drawn behind the picture in slices of time, which replaces the one
 * before when it is whole; what is chosen is drawn over it.
 */
export function usePainter({
  canvas,
  box,
  scene,
  selected,
  focused,
  namesWidth,
}: {
  canvas: RefObject<HTMLCanvasElement | null>;
  box: RefObject<HTMLDivElement | null>;
  scene: Scene;
  selected: readonly Range[];
  focused: Cell | undefined;
  namesWidth: number;
}): () => void {
  const back = useRef<Back>(undefined);
  useEffect(() => () => clearTimeout(back.current?.timer), []);
  return useCallback(() => {
    const { rows, columns } = scene;
    const [at, place] = [canvas.current, box.current];
    if (!at || !place) return;
    const width = Math.max(1, Math.min(place.clientWidth - namesWidth, Math.ceil(columns.width)));
    const height = Math.max(1, heightOf(rows));
    const grain = 1 / devicePixelRatio;
    const part = { left: place.scrollLeft, top: place.scrollTop, width, height: place.clientHeight, grain };
    const ink = getComputedStyle(at).color;
    const show = (from: HTMLCanvasElement): void => {
      at.style.width = `${width}px`;
      at.style.height = `${height}px`;
      const context = emptied(at, from);
      if (!context) return;
      context.drawImage(from, 0, 0);
      context.setTransform(1 / grain, 0, 0, 1 / grain, -part.left / grain, 0);
      mark(context, { scene, selected, focused, ink, height });
    };
    const of = [scene, ink, height, ...Object.values(part)];
    const known = back.current;
    const isSame = known?.of.every((one, index) => one === of[index]) ?? false;
    if (known && isSame && known.isReady) return show(known.canvas);
    clearTimeout(known?.timer);
    const behind = known?.canvas ?? document.createElement('canvas');
    const next: Back = { canvas: behind, of, isReady: false, timer: undefined };
    back.current = next;
    const context = emptied(behind, {
      width: Math.round(width / grain),
      height: Math.round(height / grain),
    });
    if (context) drawInSlices(next, context, { scene, part, ink }, () => show(behind));
  }, [canvas, box, scene, selected, focused, namesWidth]);
}

/** Empties a canvas that has a size, which it gets where it has another one. */
function emptied(
  canvas: HTMLCanvasElement,
  { width, height }: { width: number; height: number },
): CanvasRenderingContext2D | null {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  context?.setTransform(1, 0, 0, 1, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** Draws lines until all are there, then calls `show`. */
function drawInSlices(
  back: Back,
  context: CanvasRenderingContext2D,
  { scene, part, ink }: { scene: Scene; part: Part; ink: string },
  show: () => void,
): void {
  context.setTransform(1 / part.grain, 0, 0, 1 / part.grain, -part.left / part.grain, 0);
  const lines = drawnLines(scene, part);
  performance.mark('oncoprint-draw');
  const go = (): void => {
    const end = performance.now() + sliceMs;
    for (let line = lines.next(); !line.done; line = lines.next()) {
      fill(context, line.value, ink);
      if (performance.now() < end) continue;
      back.timer = setTimeout(go);
      return;
    }
    performance.measure('oncoprint-drawn', 'oncoprint-draw');
    back.isReady = true;
    show();
  };
  go();
}

/** Frames the chosen columns and the cell of the keyboard. */
function mark(
  context: CanvasRenderingContext2D,
  {
    scene: { rows, columns },
    selected,
    focused,
    ink,
    height,
  }: {
    scene: Scene;
    selected: readonly Range[];
    focused: Cell | undefined;
    ink: string;
    height: number;
  },
): void {
  context.strokeStyle = ink;
  context.lineWidth = 2;
  for (const { from, to } of selected)
    context.strokeRect(
      columns.left(from),
      1,
      columns.left(to) + columns.wide - columns.left(from),
      height - 2,
    );
  const row = focused && rows[focused.row];
  if (row) context.strokeRect(columns.left(focused.place) - 1, row.top - 1, columns.wide + 2, row.height + 2);
}
