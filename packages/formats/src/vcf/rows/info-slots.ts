import type { AnnotationLayout } from '../annotation-layout.ts';
import { clinicalKeys } from '../clinical.ts';
import { infoFrequency } from '../frequencies.ts';
import type { FieldDefinition } from '../header.ts';
import type { AlleleSlot } from './alleles/allele-values.ts';
import { soleSampleKeys } from './calls/call-numbers.ts';
import type { InfoFrequency } from './columns/frequencies.ts';

/** INFO keys that are read. */
interface InfoSlots {
  /** Keys with slots: their indexes. */
  keys: readonly string[];
  /** All other keys of the file. */
  others: readonly string[];
  slots: ReadonlyMap<string, number>;
  frequencies: readonly InfoFrequency[];
  /** Slots of the clinical keys with a value for each allele. */
  alleleSlots: readonly AlleleSlot[];
}

interface FileInfo {
  declared: ReadonlyMap<string, FieldDefinition>;
  /** INFO keys of the first records. */
  seen: Iterable<string>;
  layouts: readonly AnnotationLayout[];
  sitesOnly?: boolean;
  sampleCount: number;
  callColumns?: readonly unknown[] | undefined;
  /** Key with the filters of each alternate. */
  alleleFilter?: string | undefined;
}

const clinical = new Set<string>(Object.values(clinicalKeys).flat());
/** The number of dbSNP belongs to a position; the other key names the alleles of ClinVar's old values. */
const ofAll = new Set<string>([...clinicalKeys.rsNumber, ...clinicalKeys.oldAlleles]);

/** Returns the INFO keys of columns, among those that the file declares or has, or that its annotations provide. */
export function infoSlots({
  declared,
  seen,
  layouts,
  sitesOnly = false,
  sampleCount,
  callColumns,
  alleleFilter,
}: FileInfo): InfoSlots {
  const given = new Set(layouts.flatMap(({ translation }) => translation?.valueKeys ?? []));
  const annotations = new Set(layouts.map(({ key }) => key));
  const all = [...new Set([...declared.keys(), ...seen, ...given])];
  const ofSample = new Set<string>(callColumns && sampleCount <= 1 ? soleSampleKeys : []);
  const frequencyOf = (key: string) => infoFrequency(key, sitesOnly, declared.get(key));
  const isAskedFor = (key: string): boolean =>
    key === alleleFilter ||
    clinical.has(key) ||
    ofSample.has(key) ||
    annotations.has(key) ||
    frequencyOf(key) !== undefined;
  const keys = all.filter(isAskedFor);
  const frequencies = keys.flatMap((key, slot) => {
    const field = frequencyOf(key);
    return field ? [{ ...field, slot, number: declared.get(key)?.number ?? '.' }] : [];
  });
  const isNamed = sitesOnly || clinicalKeys.oldAlleles.some((key) => keys.includes(key));
  const alleleSlots = keys.flatMap((key, slot): AlleleSlot[] => {
    const number = given.has(key) ? 'A' : declared.get(key)?.number;
    if (!clinical.has(key)) return [];
    if (number === 'A' || number === 'R') return [{ slot, number }];
    return isNamed || ofAll.has(key) ? [] : [{ slot, number: '.' }];
  });
  const slots = new Map(keys.map((key, slot) => [key, slot]));
  return { keys, others: all.filter((key) => !isAskedFor(key)), slots, frequencies, alleleSlots };
}
