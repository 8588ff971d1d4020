import { find } from '../../../bytes.ts';
import { evidenceKeys } from '../../evidence-keys.ts';
import type { FieldDefinition } from '../../header.ts';
import { isOfStudy, isOtherOrder, isShare, type Meaning, meaningOf } from '../../meaning.ts';
import { type StrandKeys, strandKeys } from '../../strand-counts.ts';
import type { SampleFields } from './sample-fields.ts';

/** FORMAT keys that are read. */
const keys = [
  ...(['GQ', 'AD', 'RD', 'RO', 'AO', 'TAR', 'TIR', 'NV', 'DP4'] as const),
  ...(['AU', 'CU', 'GU', 'TU', 'DP', 'DPI', 'NR'] as const),
  ...(['AF', 'VAF', 'VF', 'FREQ', 'FA', 'PS', 'PID', 'PGT', 'GT'] as const),
] as const;
/** Place of each known key. */
export const slots = slotsOf(keys);

/** Slots of the counts of Strelka's somatic SNVs by base; those of tier 1 precede those of tier 2. */
export const baseSlots: ReadonlyMap<number | undefined, number> = new Map(
  (['A', 'C', 'G', 'T'] as const).map((base) => [base.charCodeAt(0), slots[`${base}U`]]),
);
/** Depths by caller: nearly all; Strelka's indels; Platypus. */
export const depthSlots = [slots.DP, slots.DPI, slots.NR];
/** Fractions by caller: Mutect2, DRAGEN, VarDict; DeepVariant; Pisces; VarScan; MuTect 1. */
export const fractionSlots = [slots.AF, slots.VAF, slots.VF, slots.FREQ, slots.FA];
/** Names of sets of phased genotypes: of the specification, of GATK. */
export const phaseSlots = [slots.PS, slots.PID];

/** Keys that a header describes beside those, by what they count; their slots. */
export interface Described {
  depths: readonly number[];
  fractions: readonly number[];
  /** Lists of the reference and each alternate. */
  lists: readonly number[];
  pairs: readonly (readonly [reference: number, alternate: number])[];
  alone: readonly number[];
  strands: readonly StrandKeys[];
  /** Slots of the keys of `strands`. */
  slotOfStrand: ReadonlyMap<string, number>;
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
  const strands = strandKeys(format);
  const place = (name: string): number => {
    const known = (keys as readonly string[]).indexOf(name);
    return known >= 0 ? known : slotOf(name);
  };
  const described = {
    depths: slotsWith('depth'),
    fractions: slotsWith('fraction'),
    lists: lists.filter(isOther).map(slotOf),
    pairs: pairs
      .filter((pair) => pair.every(isOther))
      .map(([reference, alternate]) => [slotOf(reference), slotOf(alternate)] as const),
    alone: alone.filter(isOther).map(slotOf),
    strands,
    slotOfStrand: new Map(strands.flatMap((one) => one.keys.map((key) => [key, place(key)] as const))),
  };
  return { names: [...keys, ...names], described };
}

/** FORMAT keys that are read of a file with this header. */
export const readFormatKeys = (format: ReadonlyMap<string, FieldDefinition>): string[] =>
  describedKeys(format).names.filter(
    (key) => key !== 'AD' || !isOtherOrder(format.get(key)?.description ?? ''),
  );

/** Returns the place of each name in a list. */
export function slotsOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, slot) => [name, slot])) as Record<Name, number>;
}

/** `/` between the alleles of an unphased genotype, `-` of a number. */
const [slash, minus] = [47, 45];

/**
 * Returns whether a set of phased genotypes holds that of a sample. Sets of unphased genotypes are ignored (VCF 4.3 §1.6.2), as are
 * numbers below 0. GATK names its sets by PID, with the phased genotype in PGT.
 */
export function isPhased(fields: SampleFields, bytes: Uint8Array, slot: number): boolean {
  if (bytes[fields.startOf(slot)] === minus) return false;
  if (slot === slots.PID || fields.has(slots.PGT)) return true;
  const start = fields.startOf(slots.GT);
  return start < 0 || find(bytes, slash, start + 1, fields.endOf(slots.GT)) < 0;
}
