import { reverseComplement } from './genetic-code.ts';
import type { Change } from './region.ts';
import type { Bases, Spliced } from './spliced.ts';
import { endOf, startOf } from './transcript.ts';

/** Bases of the reference read at a time while a change is shifted. */
const chunk = 256;

/**
 * Shifts an insertion or a deletion as far as its bases repeat, towards higher or lower positions. It stays within `limit`;
 * other changes stay as they are.
 */
function shifted(change: Change, bases: Bases, isUpwards: boolean, limit: number): Change {
  const { chromosome, removed, added } = change;
  if ((removed === '') === (added === '')) return change;
  const unit = removed || added;
  const size = unit.length;
  let moved = 0;
  // Base beside the change, outside of it.
  const outside = isUpwards ? change.position + removed.length : change.position - 1;
  let text = '';
  for (;;) {
    const at = isUpwards ? outside + moved : outside - moved;
    if (isUpwards ? at > limit : at < limit) break;
    if (moved % chunk === 0)
      text =
        (isUpwards
          ? bases.read(chromosome, at, at + chunk - 1)
          : bases.read(chromosome, Math.max(1, at - chunk + 1), at)) ?? '';
    const inText = moved % chunk;
    const base = isUpwards ? text[inText] : text[text.length - 1 - inText];
    const own = isUpwards ? unit[moved % size] : unit[size - 1 - (moved % size)];
    if (base === undefined || base !== own) break;
    moved += 1;
  }
  if (moved === 0) return change;
  const turn = isUpwards ? moved % size : (size - (moved % size)) % size;
  const rotated = unit.slice(turn) + unit.slice(0, turn);
  return {
    chromosome,
    position: change.position + (isUpwards ? moved : -moved),
    removed: removed === '' ? '' : rotated,
    added: added === '' ? '' : rotated,
  };
}

/**
 * Returns the change of a transcript in HGVS (https://hgvs-nomenclature.org), shifted to its 3' end, without the name of the
 * transcript: `c.803T>C`, `n.35del`. Undefined where it reaches beyond the transcript.
 */
export function codingHgvs(spliced: Spliced, given: Change, bases: Bases): string | undefined {
  const { transcript } = spliced;
  if (!transcript.isExact) return undefined;
  const { isReverse } = transcript;
  const [lowest, highest] = [startOf(transcript), endOf(transcript)];
  const change = shifted(given, bases, !isReverse, isReverse ? lowest : highest);
  const start = change.position;
  const end = start + change.removed.length - 1;
  if (Math.min(start, end) < lowest || Math.max(start, end) > highest) return undefined;
  const place = (position: number): string => placeOf(spliced, position);
  const range = (low: number, high: number): string => {
    if (low === high) return place(low);
    return isReverse ? `${place(high)}_${place(low)}` : `${place(low)}_${place(high)}`;
  };
  const removed = isReverse ? reverseComplement(change.removed) : change.removed;
  const added = isReverse ? reverseComplement(change.added) : change.added;
  const kind = transcript.codingEnd > transcript.codingStart ? 'c.' : 'n.';
  if (removed === '') {
    const copied = repeated(change, bases, isReverse);
    if (copied && copied[0] >= lowest && copied[1] <= highest) return `${kind}${range(...copied)}dup`;
    return `${kind}${range(end, start)}ins${added}`;
  }
  const where = range(start, end);
  if (added === '') return `${kind}${where}del`;
  if (removed.length === 1 && added.length === 1) return `${kind}${where}${removed}>${added}`;
  if (removed.length > 1 && reverseComplement(removed) === added) return `${kind}${where}inv`;
  return `${kind}${where}delins${added}`;
}

/** Range of the bases before an insertion (in the direction of the transcript) that it repeats. */
function repeated(
  { chromosome, position, added }: Change,
  bases: Bases,
  isReverse: boolean,
): [number, number] | undefined {
  const size = added.length;
  const start = isReverse ? position : position - size;
  if (start < 1) return undefined;
  return bases.read(chromosome, start, start + size - 1) === added ? [start, start + size - 1] : undefined;
}

/** Writes a position of the chromosome as one of the transcript: `76`, `-14`, `*37`, `88+2`. */
function placeOf(spliced: Spliced, position: number): string {
  const { exonStarts, exonEnds, isReverse } = spliced.transcript;
  const offset = spliced.offsetOf(position);
  if (offset >= 0) return offsetText(spliced, offset);
  const next = spliced.exonFrom(position);
  const below = exonEnds[next - 1] as number;
  const above = exonStarts[next] as number;
  const [before, after] = isReverse ? [above, below] : [below, above];
  const [fromBefore, toAfter] = [Math.abs(position - before), Math.abs(after - position)];
  return fromBefore <= toAfter
    ? `${offsetText(spliced, spliced.offsetOf(before))}+${fromBefore}`
    : `${offsetText(spliced, spliced.offsetOf(after))}-${toAfter}`;
}

function offsetText({ transcript: { codingStart, codingEnd } }: Spliced, offset: number): string {
  if (codingStart === codingEnd) return String(offset + 1);
  if (offset < codingStart) return String(offset - codingStart);
  return offset < codingEnd ? String(offset - codingStart + 1) : `*${offset - codingEnd + 1}`;
}
