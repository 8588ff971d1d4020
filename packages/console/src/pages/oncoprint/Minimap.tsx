import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Columns, heightOf } from './print/geometry.ts';
import { draw, fill, type Scene } from './print/paint.ts';

interface Props {
  scene: Scene;
  /** Width of the picture in view, and of the names beside it, in pixels. */
  width: number;
  namesWidth: number;
  /** Element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>;
}

const tall = 40;

/** The whole oncoprint in small, drawn once for an order, with a frame around the part in view. */
export function Minimap({ scene, width, namesWidth, scroller }: Props) {
  const [left, setLeft] = useState(0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { columns, rows } = scene;
  const isAll = columns.width <= width;
  useEffect(() => {
    const box = scroller.current;
    const follow = (): void => setLeft(box?.scrollLeft ?? 0);
    follow();
    box?.addEventListener('scroll', follow);
    return () => box?.removeEventListener('scroll', follow);
  }, [scroller]);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || isAll || width <= 0) return;
    const small = new Columns(columns.count, width / columns.count, [
      { name: '', from: 0, to: columns.count, shares: [] },
    ]);
    const height = heightOf(rows) || 1;
    const part = { left: 0, top: 0, width, height, grain: 1 };
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, tall);
    context.setTransform(1, 0, 0, tall / height, 0, 0);
    fill(context, draw({ ...scene, columns: small }, part), '#000');
  }, [scene, columns, rows, width, isAll]);
  if (isAll) return null;
  const scale = width / columns.width;
  const show = (to: number): void => {
    if (scroller.current) scroller.current.scrollLeft = to;
  };
  const move = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === 'pointermove' && event.buttons === 0) return;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    show(x / scale - width / 2);
  };
  return (
    <div
      className="print-map"
      style={{ marginLeft: namesWidth, width, height: tall }}
      role="scrollbar"
      aria-label="Part in view"
      aria-controls="oncoprint"
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.round(columns.width - width)}
      aria-valuenow={Math.round(left)}
      tabIndex={0}
      onPointerDown={move}
      onPointerMove={move}
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') show(left + width / 2);
        if (key === 'ArrowLeft') show(left - width / 2);
      }}
    >
      <canvas ref={canvas} width={Math.max(1, Math.round(width))} height={tall} />
      <div className="print-frame" style={{ left: left * scale, width: Math.max(6, width * scale) }} />
    </div>
  );
}
