const mitochondrial = ['MT', 'M', 'chrM', 'chrMT'];

/**
 * Maximum number of names. Tickets hold all in memory, and are created while other requests wait; assemblies of metagenomes
 * have some hundred thousand.
 */
export const referencesMax = 1_000_000;

/**
 * Finds the number of a sequence by exactly this name, else by the only other usual spelling (`chr1` and `1`; `MT`, `M`,
 * `chrM`, `chrMT`). `undefined` for none or several.
 */
export function referenceNumber(numbers: ReadonlyMap<string, number>, name: string): number | undefined {
  const exact = numbers.get(name);
  if (exact !== undefined) return exact;
  const found = spellingsOf(name).flatMap((one) => numbers.get(one) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

function spellingsOf(name: string): string[] {
  if (mitochondrial.includes(name)) return mitochondrial;
  return [name.startsWith('chr') ? name.slice(3) : `chr${name}`];
}
