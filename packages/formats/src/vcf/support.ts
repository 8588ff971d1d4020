import type { FieldDefinition } from './header.ts';
import { meaningOf } from './meaning.ts';
import { strandKeys } from './strand-counts.ts';

/** Finds the keys of a header with a meaning. */
export function keysWith(
  meaning: ReturnType<typeof meaningOf>,
  fields: ReadonlyMap<string, FieldDefinition>,
): string[] {
  return [...fields.values()].filter((field) => meaningOf(field) === meaning).map(({ id }) => id);
}

/** Names of INFO keys that count what supports an alternate, where the header does not say so. */
const known = ['SUPPORT', 'RE', 'READ_COUNT', 'SU'];

/** INFO keys that count the reads with an alternate. */
export function supportKeys(declared: ReadonlyMap<string, FieldDefinition>): string[] {
  const ofStrands = strandKeys(declared).filter(({ of }) => of === 'alternate');
  return [
    ...new Set([...known, ...keysWith('alternateDepth', declared), ...ofStrands.flatMap(({ keys }) => keys)]),
  ];
}

/**
 * Returns whether one of these keys of an INFO counts something for an alternate, from 1; undefined where none of them has a
 * number. A list of another length than the alternates is of all of them.
 */
export function supportIn(
  keys: readonly string[],
  infoOfKey: (key: string) => string | undefined,
  { alternate = 1, alternateCount = 1 } = {},
): boolean | undefined {
  const counts = keys.flatMap((key) => {
    const list = infoOfKey(key)?.split(',') ?? [];
    const own = list.length === alternateCount ? [list[alternate - 1] ?? ''] : list;
    return own.filter((text) => text !== '' && text !== '.').map(Number);
  });
  const known = counts.filter((count) => !Number.isNaN(count));
  return known.length === 0 ? undefined : known.some((count) => count > 0);
}

/** Returns whether the filters of a genotype are passed (VCF 4.3 §1.6.2). */
export const passes = (filters: string): boolean => filters === '' || filters === '.' || filters === 'PASS';

/** FILTER and the filters of a genotype as one list: what failed, else FILTER. */
export function joinedFilters(ofRecord: string, ofSample: string): string {
  if (passes(ofSample)) return ofRecord;
  if (passes(ofRecord)) return ofSample;
  return [...new Set(`${ofRecord};${ofSample}`.split(';'))].join(';');
}
