/** Words for what is no count. Names of genes (`TPM1`) are none of them. */
const units: readonly [word: RegExp, unit: string][] = [
  [/tpm(?!\d)/i, 'tpm'],
  [/[fr]pkm/i, 'fpkm'],
  [/(?<![a-z])cpm(?![a-z\d])/i, 'cpm'],
];

/**
 * The unit that the name of a file says, else a folder of it, the innermost first. Undefined where they say nothing, or that counts are in it:
 * whether they are whole the values tell.
 */
export function unitOfFileName(fileName: string): string | undefined {
  for (const part of fileName.split('/').toReversed()) {
    const [, unit] = units.find(([word]) => word.test(part)) ?? [];
    if (unit !== undefined || /count/i.test(part)) return unit;
  }
  return undefined;
}
