import { shownShare } from '../../../words/dictionary.ts';
import { type Columns, groupGap, type Row } from './geometry.ts';
import type { Share } from './order.ts';

/** Text in a drawing, in pixels. */
export interface Label {
  text: string;
  left: number;
  /** Middle of the letters. */
  middle: number;
}

/** Names of groups above, and the share of each gene behind its group. */
export function labelsIn(
  rows: readonly Row[],
  columns: Columns,
  part: { left: number; width: number },
): Label[] {
  if (columns.groups.length < 2) return [];
  const isSeen = (left: number): boolean => left > part.left - 200 && left < part.left + part.width;
  return columns.groups.flatMap(({ name, from, to, shares }) => {
    const end = columns.left(to - 1) + columns.wide + 3;
    const left = columns.left(from);
    const words = `${name} (${(to - from).toLocaleString()})`;
    const head = { text: cut(words, end - left + groupGap - 8), left, middle: 8 };
    const ofGenes = rows
      .filter(({ kind }) => kind === 'gene')
      .map(({ top, height }, at) => ({ text: shareText(shares[at]), left: end, middle: top + height / 2 }));
    return [head, ...ofGenes].filter(({ left }) => isSeen(left));
  });
}

/** Width of a letter, about, in pixels. */
const letterWidth = 7;

/** Shortens a text to a width in pixels. */
function cut(text: string, width: number): string {
  const letters = [...text];
  const most = Math.floor(width / letterWidth);
  return letters.length <= most ? text : `${letters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** Returns a share of the profiled in words; less than all is never written as 100 %. */
export function shareText(share: Share | undefined): string {
  if (!share || share.profiled === 0) return 'N/P';
  const { altered, profiled } = share;
  return altered < profiled && altered / profiled >= 0.995 ? '>99%' : shownShare(altered / profiled);
}
