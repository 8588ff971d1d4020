const mitochondrial = ['MT', 'M', 'chrM', 'chrMT'];

/** Tickets hold every name in memory, and are made while others wait; assemblies of metagenomes have some hundred thousand. */
export const referencesMax = 1_000_000;

/**
 * Finds the number of a sequence: that of exactly this name, else the only one under another usual spelling (`chr1` and `1`; `MT`, `M`,
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
