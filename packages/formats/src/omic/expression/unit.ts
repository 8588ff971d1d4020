/** Words for what is no count. Names of genes (`TPM1`) are none of them. */
const units: readonly [word: RegExp, unit: string][] = [
  [/tpm(?!\d)/i, 'tpm'],
  [/[fr]pkm/i, 'fpkm'],
  [/(?<![a-z])cpm(?![a-z\d])/i, 'cpm'],
];

/** Counts that are no longer numbers of reads. */
const changed = /norm|scaled|log|vst|vsd/i;

/**
 * The unit that the name of a file says, else a folder of it, the innermost first. Undefined where they say nothing, or that the counts in it are
 * not as they were counted.
 */
export function unitOfFileName(fileName: string): string | undefined {
  for (const part of fileName.split('/').toReversed()) {
    const [, unit] = units.find(([word]) => word.test(part)) ?? [];
    if (unit !== undefined) return unit;
    if (/count/i.test(part)) return changed.test(part) ? undefined : 'count';
  }
  return undefined;
}
