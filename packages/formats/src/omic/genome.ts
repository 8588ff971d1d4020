import { positionAt, RecordFault, textAt } from '../delimited/index.ts';
import { chromosomeName } from '../vcf/chromosomes.ts';

/** Numbers of X and Y in programs that number chromosomes (DNAcopy, PLINK). */
const numbered: ReadonlyMap<string, string> = new Map([
  ['23', 'chrX'],
  ['24', 'chrY'],
]);

/** Returns the lake's name of the chromosome in a field, if any. */
export function chromosomeAt(fields: readonly string[], place: number): string | undefined {
  const text = textAt(fields, place);
  return text && (numbered.get(text.replace(/^chr/i, '')) ?? chromosomeName(text));
}

/** Reads a field that must not be empty. Throws `RecordFault`. */
export function chromosomeNeeded(fields: readonly string[], place: number): string {
  const name = chromosomeAt(fields, place);
  if (name === undefined) throw new RecordFault('the chromosome is missing', place + 1);
  return name;
}

/** Reads the position in a field, if any, which counts from 1. Throws `RecordFault`. */
export function positionFrom1(fields: readonly string[], place: number): number | undefined {
  const position = positionAt(fields, place);
  if (position === 0) throw new RecordFault('a position counts from 1, and is never 0', place + 1);
  return position;
}

/** Reads the position in a field that must not be empty. Throws `RecordFault`. */
export function positionNeeded(fields: readonly string[], place: number): number {
  const position = positionAt(fields, place);
  if (position === undefined) throw new RecordFault('the position is missing', place + 1);
  return position;
}

/** Throws `RecordFault` for a segment that ends before it starts. */
export function checkSegment(start: number | undefined, end: number | undefined, place: number): void {
  if (start !== undefined && end !== undefined && end < start)
    throw new RecordFault('the end is before the start', place + 1);
}
