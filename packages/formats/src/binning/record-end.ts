import { bytesOf, find, textOf } from '../bytes.ts';
import { positionsMax } from './bins.ts';

/** Column of a line, in bytes, without its tabs. */
export interface Column {
  start: number;
  end: number;
}

const lessThan = 60;
const semicolon = 59;
const endKey = bytesOf('END=');
const elsewhereKey = bytesOf('CHR2=');
/** `[` and `]` of a breakend. */
const brackets = [91, 93] as const;
const lengthKey = bytesOf('SVLEN=');
/** Structural alternates that replace or copy the bases after POS, with their subtypes; an insertion is between two bases. */
const isOfReference = /^<(?:DEL|DUP|CNV|INV)[:>]/;
/** Block of a gVCF without variants. */
const isUnspecified = /^<(?:\*|NON_REF)>$/;
const none: Column = { start: 0, end: 0 };

/**
 * Returns the end of a record, 0-based and half-open: at END of INFO, at least with REF. For symbolic alternates it extends to their SVLEN,
 * or to the LEN of a sample, which replaced END (VCF 4.5 §1.4.5, §3, §5.5). `columns`: those up to FORMAT.
 */
export function endOfRecord(line: Uint8Array, columns: readonly Column[], begin: number): number {
  const [sequence = none, , , reference = none, alternates = none, , , info = none] = columns;
  const behind = begin + Math.max(1, reference.end - reference.start);
  const stated = isElsewhere(line, sequence, alternates, info) ? Number.NaN : endIn(line, info);
  const end = stated > behind ? stated : behind;
  if (find(line, lessThan, alternates.start, alternates.end) < 0) return end;
  const symbols = textOf(line, alternates.start, alternates.end).split(',');
  const further = [
    ...ofStructures(symbols, infoValue(line, info, lengthKey)),
    ...ofBlock(symbols, line, columns),
  ];
  const furthest = further.reduce((most, bases) => Math.max(most, bases), 0);
  // A length beyond the range of an index is an error of the length, not of the place.
  return Math.max(end, Math.min(begin + furthest, positionsMax));
}

function endIn(line: Uint8Array, info: Column): number {
  return Number.parseInt(infoValue(line, info, endKey), 10);
}

/** Returns whether END is a place on another sequence, as many callers write it: of breakends, and where CHR2 names one. */
function isElsewhere(line: Uint8Array, sequence: Column, { start, end }: Column, info: Column): boolean {
  if (brackets.some((bracket) => find(line, bracket, start, end) >= 0)) return true;
  const other = infoValue(line, info, elsewhereKey);
  return other !== '' && other !== textOf(line, sequence.start, sequence.end);
}

/** Returns the bases that structural alternates reach over, including that at POS. */
function ofStructures(symbols: readonly string[], lengths: string): number[] {
  if (lengths === '') return [];
  const values = lengths.split(',');
  return symbols.flatMap((symbol, at) => {
    const length = Math.abs(Number.parseInt(values[at] ?? '', 10));
    return isOfReference.test(symbol) && length > 0 ? [1 + length] : [];
  });
}

/** Returns the length of the block that the samples state. */
function ofBlock(symbols: readonly string[], line: Uint8Array, columns: readonly Column[]): number[] {
  const format = columns[8];
  if (format === undefined || !symbols.some((symbol) => isUnspecified.test(symbol))) return [];
  const place = textOf(line, format.start, format.end).split(':').indexOf('LEN');
  if (place < 0) return [];
  const samples = textOf(line, Math.min(format.end + 1, line.length), line.length).split('\t');
  return samples.flatMap((sample) => {
    const length = Number.parseInt(sample.split(':')[place] ?? '', 10);
    return length > 0 ? [length] : [];
  });
}

/** Returns the value of a key of INFO; empty without one. */
function infoValue(line: Uint8Array, { start, end }: Column, key: Uint8Array): string {
  for (let at = start; at < end; ) {
    const found = find(line, semicolon, at, end);
    const stop = found < 0 ? end : found;
    if (key.every((byte, index) => line[at + index] === byte)) return textOf(line, at + key.length, stop);
    at = stop + 1;
  }
  return '';
}
