import { accessionOf, nuclearChromosomes } from './assemblies.ts';

/** The lake's names of the human chromosomes. */
export const chromosomes: readonly string[] = [...nuclearChromosomes, 'chrM'];

/** Spellings without `chr`, in upper case → the lake's name. */
const chromosomeNames: ReadonlyMap<string, string> = new Map([
  ...chromosomes.map((name): [string, string] => [name.slice(3), name]),
  ['MT', 'chrM'],
]);

/** `1`, `chr1`, `CHR1`, `NC_000001.11`, `CM000663.2` → `chr1`; `MT`, `chrM` → `chrM`; other contigs stay as they are. */
export function chromosomeName(name: string): string {
  const known = chromosomeNames.get(name.replace(/^chr/i, '').toUpperCase());
  return known ?? accessionOf(name)?.chromosome ?? name;
}
