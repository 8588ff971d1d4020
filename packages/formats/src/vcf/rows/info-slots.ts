import type { AnnotationLayout } from '../annotations.ts';
import { clinicalKeys } from '../clinical.ts';
import { infoFrequency } from '../frequencies.ts';
import type { FieldDefinition } from '../header.ts';
import type { AlleleSlot } from './allele-values.ts';
import type { InfoFrequency } from './frequencies.ts';

/** What is read of INFO. */
export interface InfoSlots {
  /** Their slots are their places. */
  keys: readonly string[];
  /** All others of the file. */
  others: readonly string[];
  slots: ReadonlyMap<string, number>;
  frequencies: readonly InfoFrequency[];
  /** Of the clinical keys that have a value for each allele. */
  alleleSlots: readonly AlleleSlot[];
}

interface FileInfo {
  declared: ReadonlyMap<string, FieldDefinition>;
  /** INFO keys of the first records. */
  seen: Iterable<string>;
  layouts: readonly AnnotationLayout[];
  sitesOnly?: boolean;
}

const clinical = new Set<string>(Object.values(clinicalKeys).flat());

/** The keys of INFO that columns are made from, of those that the file declares or has, or that its annotations give. */
export function infoSlots({ declared, seen, layouts, sitesOnly = false }: FileInfo): InfoSlots {
  const given = new Set(layouts.flatMap(({ translation }) => translation?.valueKeys ?? []));
  const annotations = new Set(layouts.map(({ key }) => key));
  const all = [...new Set([...declared.keys(), ...seen, ...given])];
  const isAskedFor = (key: string): boolean =>
    clinical.has(key) || annotations.has(key) || infoFrequency(key, sitesOnly) !== undefined;
  const keys = all.filter(isAskedFor);
  const frequencies = keys.flatMap((key, slot) => {
    const field = infoFrequency(key, sitesOnly);
    return field ? [{ ...field, slot, number: declared.get(key)?.number ?? '.' }] : [];
  });
  const alleleSlots = keys.flatMap((key, slot) => {
    const number = given.has(key) ? 'A' : declared.get(key)?.number;
    return clinical.has(key) && (number === 'A' || number === 'R') ? [{ slot, number } as const] : [];
  });
  const slots = new Map(keys.map((key, slot) => [key, slot]));
  return { keys, others: all.filter((key) => !isAskedFor(key)), slots, frequencies, alleleSlots };
}
