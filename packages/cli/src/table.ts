import type { Cell } from './csv.ts';
import { visible } from './visible.ts';

const cellWidthMax = 60;
const segmenter = new Intl.Segmenter();

/** East Asian wide and full-width characters (Unicode Annex 11) and what is shown as an emoji. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const noWidth = /^[\p{Mark}\u200d]+$/u;

/** Returns the columns of a character in a terminal: wide ones two, lone combining marks none. */
function segmentWidth(segment: string): number {
  if (noWidth.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

/** Returns the columns of a text in a terminal. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

function shortened(text: string): string {
  if (widthOf(text) <= cellWidthMax) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += segmentWidth(segment);
    if (width > cellWidthMax - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const cellText = (cell: Cell | undefined): string => shortened(visible(cell ?? ''));

/** Rows under headings, aligned; columns that hold only numbers to the right; NULL is empty. */
export function alignedTable(headings: Cell[], rows: Cell[][]): string {
  const titles = headings.map(cellText);
  const cells = rows.map((row) => headings.map((_, at) => cellText(row[at])));
  const columns = titles.map((title, at) => {
    const texts = cells.map((row) => row[at] ?? '');
    const filled = texts.filter((text) => text !== '');
    return {
      width: texts.reduce((most, text) => Math.max(most, widthOf(text)), widthOf(title)),
      numeric: filled.length > 0 && filled.every((text) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)),
    };
  });
  const line = (row: string[]): string =>
    columns
      .map(({ width, numeric }, at) => {
        const text = row[at] ?? '';
        const pad = ' '.repeat(width - widthOf(text));
        return numeric ? pad + text : text + pad;
      })
      .join('  ')
      .trimEnd();
  const rule = columns.map(({ width }) => '─'.repeat(width)).join('  ');
  return [line(titles), rule, ...cells.map(line)].join('\n');
}
