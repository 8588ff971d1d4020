import type { FieldDefinition } from './header.ts';
import { infoOf } from './info-text.ts';
import { meaningOf } from './meaning.ts';

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
  return [...new Set([...known, ...keysWith('alternateDepth', declared)])];
}

/** Returns whether one of these keys of an INFO counts something. */
export function hasSupport(infoText: string, keys: readonly string[]): boolean {
  const info = infoOf(infoText);
  return keys.some((key) => Number(info.get(key)?.split(',')[0]) > 0);
}

/** Returns whether the filters of a genotype are passed (VCF 4.3 §1.6.2). */
export const passes = (filters: string): boolean => filters === '' || filters === '.' || filters === 'PASS';

/** FILTER and the filters of a genotype as one list: what failed, else FILTER. */
export function joinedFilters(ofRecord: string, ofSample: string): string {
  if (passes(ofSample)) return ofRecord;
  if (passes(ofRecord)) return ofSample;
  return [...new Set(`${ofRecord};${ofSample}`.split(';'))].join(';');
}
