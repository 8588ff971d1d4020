import { isDigit } from '../../../bytes.ts';

/** Range of bytes that a search found; reused instead of creating an object. */
export interface Stretch {
  start: number;
  end: number;
}

/** Finds `rs123` at the beginning of one of the ids between `;`. */
export function findRsId(bytes: Uint8Array, start: number, end: number, found: Stretch): boolean {
  for (let at = start; at < end; at += 1) {
    if ((at === start || bytes[at - 1] === 59) && isRs(bytes, at, end))
      return take(bytes, at, at + 2, end, found);
  }
  return false;
}

/** Returns whether an `rs123` begins after a `;` or `,` from here on. */
export function hasFurtherRs(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at += 1)
    if ((bytes[at - 1] === 59 || bytes[at - 1] === 44) && isRs(bytes, at, end)) return true;
  return false;
}

/** Finds `rs123` anywhere. */
export function findRs(bytes: Uint8Array, start: number, end: number, found: Stretch): boolean {
  for (let at = start; at < end; at += 1)
    if (isRs(bytes, at, end)) return take(bytes, at, at + 2, end, found);
  return false;
}

/** Finds `COSV123`, `COSM123` or `COSN123` anywhere. */
export function findCosmic(bytes: Uint8Array, start: number, end: number, found: Stretch): boolean {
  for (let at = start; at + 4 < end; at += 1) {
    if (bytes[at] !== 67 || bytes[at + 1] !== 79 || bytes[at + 2] !== 83) continue;
    const kind = bytes[at + 3];
    if ((kind === 86 || kind === 77 || kind === 78) && isDigit(bytes[at + 4]))
      return take(bytes, at, at + 4, end, found);
  }
  return false;
}

/** Finds one of the ids between `;` that is a number. */
export function findNumberId(bytes: Uint8Array, start: number, end: number, found: Stretch): boolean {
  for (let from = start; from < end; ) {
    let to = from;
    while (to < end && bytes[to] !== 59) to += 1;
    if (to > from && isDigit(bytes[from])) {
      take(bytes, from, from, to, found);
      if (found.end === to) return true;
    }
    from = to + 1;
  }
  return false;
}

function isRs(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes[at] === 114 && bytes[at + 1] === 115 && at + 2 < end && isDigit(bytes[at + 2]);
}

function take(bytes: Uint8Array, start: number, digits: number, end: number, found: Stretch): boolean {
  found.start = start;
  found.end = digits;
  while (found.end < end && isDigit(bytes[found.end])) found.end += 1;
  return true;
}
