import { shortChange } from '../../../study/variant-test.ts';
import { copiesIn, fusionIn, type GeneRow, mutationIn, noCode, type Print, type TrackRow } from './decode.ts';
import type { Row } from './geometry.ts';
import { shareText } from './labels.ts';
import type { Ordered } from './order.ts';
import { copyNumberClasses, mutationClasses } from './paint.ts';

const judgements = [', driver', '', ', passenger'];
const kinds = [
  [1, 'mutations'],
  [2, 'copy numbers'],
  [4, 'fusions'],
] as const;

/** Returns the alterations of a cell in words. */
function cellText(row: GeneRow, place: number): string {
  const code = row.codes[place] ?? 0;
  const profiled = row.profiled[place] ?? 0;
  const [mutation, copies, fusion] = [mutationIn(code), copiesIn(code), fusionIn(code)];
  const parts: string[] = [];
  if (mutation > 0) {
    const change = changeAt(row, place);
    const germline = (mutation & 1) === 0 ? ', germline' : '';
    const name = mutationClasses[(mutation >> 1) & 7];
    parts.push(`${name} mutation${change && ` ${change}`}${germline}${judgements[mutation >> 4] ?? ''}`);
  }
  if (copies > 0) parts.push(`${copyNumberClasses[copies >> 2]}${judgements[copies & 3] ?? ''}`);
  if (fusion > 0) parts.push(`fusion${judgements[fusion - 1] ?? ''}`);
  const missing = kinds.filter(([bit]) => (profiled & bit) === 0).map(([, name]) => name);
  if (missing.length === kinds.length) return [...parts, 'not profiled'].join('; ');
  if (parts.length === 0) parts.push('not altered');
  return missing.length > 0
    ? `${parts.join('; ')} (not profiled for ${missing.join(', ')})`
    : parts.join('; ');
}

function changeAt({ altered, changes, changeOf }: GeneRow, place: number): string {
  let [low, high] = [0, altered.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((altered[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  const change = altered[low] === place ? changes[changeOf[low] ?? -1] : undefined;
  return change === undefined ? '' : shortChange(change);
}

/** Returns a value of a track in words. */
function trackText({ codes, numbers, values }: TrackRow, place: number): string {
  const number = numbers[place] ?? Number.NaN;
  const code = codes[place] ?? noCode;
  const word =
    code >= 0
      ? (values[code]?.label ?? values[code]?.value)
      : code === noCode
        ? ''
        : code === -1
          ? 'several values'
          : 'another value';
  const shown = Number.isNaN(number) ? '' : number.toLocaleString(undefined, { maximumSignificantDigits: 6 });
  return [shown, word].filter(Boolean).join('; ') || 'no value';
}

/** Returns the value of any line for a subject in words. */
export function lineText(print: Print, { kind, at }: Row, place: number): string {
  if (kind === 'gene') {
    const row = print.genes[at[0] ?? 0];
    return row ? cellText(row, place) : '';
  }
  if (kind === 'heat') {
    const score = print.heats[at[0] ?? 0]?.scores[place] ?? Number.NaN;
    return Number.isNaN(score) ? 'no value' : `${score.toFixed(2)} standard deviations from the mean`;
  }
  return at
    .flatMap((one) => print.tracks[one] ?? [])
    .map((track) => trackText(track, place))
    .join(', ');
}

/** Returns the sentence above the drawing. */
export function totalText({ total, order }: Ordered, all: number, noun: string): string {
  const shown = order.length === all ? '' : `, ${order.length.toLocaleString()} shown`;
  return `Altered in ${total.altered.toLocaleString()} (${shareText(total)}) of ${total.profiled.toLocaleString()} profiled ${noun}s (${all.toLocaleString()} in all${shown})`;
}
