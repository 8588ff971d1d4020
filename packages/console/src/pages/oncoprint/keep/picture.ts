import { csvText, saveAs } from '../../../table/csv.ts';
import type { LegendGroup } from '../legend-of.ts';
import { heightOf } from '../print/geometry.ts';
import { type Batch, draw, fill, type Scene } from '../print/paint.ts';
import { lineText } from '../print/words.ts';
import { type PageText, pdfOf, type TextPicture } from './pdf.ts';

/** An oncoprint as it is kept in a file: its scene, and the texts beside the lines. */
export interface Kept {
  title: string;
  scene: Scene;
  names: readonly { name: string; end?: string }[];
  legend: readonly LegendGroup[];
}

/** Largest side and area of a picture that browsers draw, in pixels. */
const sideMax = 16_384;
const areaMax = 100e6;
/** Width of the names, and left end of the shares, in pixels. */
const namesWidth = 210;
const shareLeft = namesWidth - 48;

/** Smallest width of a picture: room for its legend, in pixels. */
const widthMin = 560;

/** Draws all columns, with the names of the lines at the left and the legend below. */
function drawingOf({ scene, names, legend }: Kept) {
  const { columns, rows } = scene;
  const [width, height] = [Math.max(widthMin, namesWidth + columns.width), heightOf(rows)];
  const part = { left: 0, top: 0, width: columns.width, height, grain: 0.25 };
  const { batches, labels } = draw(scene, part);
  const moved = batches.map(({ colour, rects }) => ({
    colour,
    rects: rects.map((value, at) => (at % 4 === 0 ? value + namesWidth : value)),
  }));
  const texts: PageText[] = [
    ...labels.map((label) => ({ ...label, left: label.left + namesWidth })),
    ...rows.flatMap(({ top, height: tall }, at) => {
      const { name = '', end } = names[at] ?? {};
      const middle = top + tall / 2;
      return [
        { text: name, left: 2, middle },
        ...(end === undefined ? [] : [{ text: end, left: shareLeft, middle }]),
      ];
    }),
  ];
  const below = legendBelow(legend, width, height + legendGap);
  return {
    ...{ width, height: below.bottom },
    batches: [...moved, ...below.batches],
    texts: [...texts, ...below.texts],
  };
}

/** Sizes of a legend in pixels: distance from the lines, height of a line, swatch, distance of items, and a letter. */
const [legendGap, legendLine, swatch, itemGap, letter] = [16, 20, 14, 14, 7];

/** Places a legend in lines from `top`. */
function legendBelow(legend: readonly LegendGroup[], width: number, top: number) {
  const batches: Batch[] = [];
  const texts: PageText[] = [];
  let [left, middle] = [2, top + legendLine / 2];
  const place = (text: string, colours: readonly string[], height: number): void => {
    const start = colours.length === 0 ? 0 : Math.max(swatch, (colours.length * swatch) / 2) + 4;
    const taken = start + [...text].length * letter + itemGap;
    if (left > 2 && left + taken > width) [left, middle] = [2, middle + legendLine];
    const share = (start - 4) / Math.max(1, colours.length);
    for (const [at, colour] of colours.entries())
      batches.push({ colour, rects: [left + at * share, middle - height / 2, share, height] });
    texts.push({ text, left: left + start, middle });
    left += taken;
  };
  for (const { title, items } of legend) {
    if (title !== undefined) {
      [left, middle] = [2, middle + legendLine];
      place(`${title}:`, [], 0);
    }
    for (const { text, colours, height } of items) place(text, colours, height);
  }
  return { batches, texts, bottom: middle + legendLine };
}

/** Writes an oncoprint as SVG: one path for each colour. */
export function svgOf(kept: Kept): string {
  const { width, height, batches, texts } = drawingOf(kept);
  const paths = batches.map(({ colour, rects }) => {
    const parts: string[] = [];
    for (let at = 0; at < rects.length; at += 4) {
      const [left, top, wide, tall] = [0, 1, 2, 3].map((one) => Number((rects[at + one] ?? 0).toFixed(2)));
      parts.push(`M${left} ${top}h${wide}v${tall}h-${wide}z`);
    }
    return `<path fill="${colour}" d="${parts.join('')}"/>`;
  });
  const words = texts.map(
    ({ text, left, middle }) =>
      `<text x="${left}" y="${middle}" dominant-baseline="central">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12"><title>${escaped(kept.title)}</title><rect width="100%" height="100%" fill="#fff"/>${paths.join('')}${words.join('')}</svg>`;
}

/** Keeps an oncoprint as SVG. */
export const keepSvg = (kept: Kept): void => saveAs(`${kept.title}.svg`, svgOf(kept), 'image/svg+xml');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 does not have are left out. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);

/** Keeps an oncoprint as PNG, with twice the pixels where they fit. */
export async function keepPng(kept: Kept): Promise<void> {
  const { width, height, batches, texts } = drawingOf(kept);
  const scale = Math.min(2, sideMax / width, sideMax / height, Math.sqrt(areaMax / (width * height)));
  const [canvas, context] = canvasOf(width * scale, height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  fill(context, { batches, labels: texts }, '#000');
  saveAs(`${kept.title}.png`, await canvas.convertToBlob({ type: 'image/png' }), 'image/png');
}

/** Keeps an oncoprint as PDF. */
export async function keepPdf(kept: Kept): Promise<void> {
  saveAs(`${kept.title}.pdf`, await pdfOf(drawingOf(kept), textPicture), 'application/pdf');
}

/** Draws a text in the fonts of this browser. */
async function textPicture(text: string): Promise<TextPicture> {
  const scale = 4;
  const [, measuring] = canvasOf(1, 1);
  measuring.font = '12px sans-serif';
  const [width, height] = [Math.ceil(measuring.measureText(text).width) + 1, 16];
  const [canvas, context] = canvasOf(width * scale, height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  fill(context, { batches: [], labels: [{ text, left: 0, middle: height / 2 }] }, '#000');
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 });
  const jpeg = new Uint8Array(await blob.arrayBuffer());
  return { jpeg, pixels: { width: canvas.width, height: canvas.height }, width, height };
}

function canvasOf(width: number, height: number): [OffscreenCanvas, OffscreenCanvasRenderingContext2D] {
  const canvas = new OffscreenCanvas(Math.max(1, Math.floor(width)), Math.max(1, Math.floor(height)));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot draw on a canvas.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return [canvas, context];
}

/** Keeps the ids of the shown subjects in their order, one a line. */
export function keepOrder({ title, scene: { print, order } }: Kept): void {
  const ids = [...order].map((place) => print.subjects[place] ?? '');
  saveAs(`${title} order.txt`, `${ids.join('\n')}\n`, 'text/plain');
}

/** Keeps the shown cells as a table: a row for each subject, a column for each line. */
export function keepTable({ title, scene: { print, order, rows }, names }: Kept, noun: string): void {
  const table = [...order].map((place) => [
    print.subjects[place],
    ...(noun === 'sample' ? [print.patients[place]] : []),
    ...rows.map((row) => lineText(print, row, place)),
  ]);
  const head = noun === 'sample' ? ['sample', 'subject'] : ['subject'];
  saveAs(`${title}.csv`, csvText([[...head, ...names.map(({ name }) => name)], ...table]), 'text/csv');
}
