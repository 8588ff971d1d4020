import { evidenceKeys } from '../../evidence-keys.ts';
import type { FieldDefinition } from '../../header.ts';
import { isOfStudy, isShare, type Meaning, meaningOf } from '../../meaning.ts';

/** FORMAT keys that are read. */
const keys = [
  ...(['GQ', 'AD', 'RD', 'RO', 'AO', 'TAR', 'TIR', 'NV', 'DP4'] as const),
  ...(['AU', 'CU', 'GU', 'TU', 'DP', 'DPI', 'NR'] as const),
  ...(['AF', 'VAF', 'VF', 'FREQ', 'FA', 'PS', 'PID'] as const),
] as const;
/** Place of each known key. */
export const slots = slotsOf(keys);

/** Keys that a header describes beside those, by what they count; their slots. */
export interface Described {
  depths: readonly number[];
  fractions: readonly number[];
  /** Lists of the reference and each alternate. */
  lists: readonly number[];
  pairs: readonly (readonly [reference: number, alternate: number])[];
  alone: readonly number[];
}

/** Finds known keys that are described as of a study, or as no share. */
export function contradicted(format: ReadonlyMap<string, FieldDefinition>): ReadonlySet<number> {
  return new Set(
    [...format.values()]
      .filter((field) => isOfStudy(field.description) || !isShare(field))
      .map(({ id }) => (keys as readonly string[]).indexOf(id)),
  );
}

/** Finds the keys that a header describes, with slots behind those of the known ones. */
export function describedKeys(format: ReadonlyMap<string, FieldDefinition>): {
  names: string[];
  described: Described;
} {
  const names: string[] = [];
  const isOther = (name: string): boolean => format.has(name) && !(keys as readonly string[]).includes(name);
  const slotOf = (name: string): number => {
    if (!names.includes(name)) names.push(name);
    return keys.length + names.indexOf(name);
  };
  const slotsWith = (...meanings: Meaning[]): number[] =>
    [...format.values()]
      .filter((field) => isOther(field.id) && meanings.includes(meaningOf(field) ?? 'genes'))
      .map(({ id }) => slotOf(id));
  const { lists, pairs, alone } = evidenceKeys(format);
  const described = {
    depths: slotsWith('depth'),
    fractions: slotsWith('fraction'),
    lists: lists.filter(isOther).map(slotOf),
    pairs: pairs
      .filter((pair) => pair.every(isOther))
      .map(([reference, alternate]) => [slotOf(reference), slotOf(alternate)] as const),
    alone: alone.filter(isOther).map(slotOf),
  };
  return { names: [...keys, ...names], described };
}

/** FORMAT keys that are read of a file with this header. */
export const readFormatKeys = (format: ReadonlyMap<string, FieldDefinition>): string[] =>
  describedKeys(format).names;

/** Returns the place of each name in a list. */
export function slotsOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, slot) => [name, slot])) as Record<Name, number>;
}
