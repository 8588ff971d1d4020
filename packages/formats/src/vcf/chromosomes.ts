const autosomes = Array.from({ length: 22 }, (_, index) => String(index + 1));

/** Names of the human chromosomes, without `chr`, in upper case → the name that the lake uses. */
const chromosomeNames: ReadonlyMap<string, string> = new Map([
  ...[...autosomes, 'X', 'Y'].map((name): [string, string] => [name, `chr${name}`]),
  ['M', 'chrM'],
  ['MT', 'chrM'],
]);

/** `1`, `chr1`, `CHR1` → `chr1`; `MT`, `chrM` → `chrM`; other contigs stay as they are. */
export function chromosomeName(name: string): string {
  return chromosomeNames.get(name.replace(/^chr/i, '').toUpperCase()) ?? name;
}
