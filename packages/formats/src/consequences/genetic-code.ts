/** Amino acids by codon, in the order of TCAG, as NCBI lists them ("The Genetic Codes"). */
const codes: Readonly<Record<number, string>> = {
  1: 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
  2: 'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG',
  11: 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
};

const letters = 'TCAG';

const tables: ReadonlyMap<number, ReadonlyMap<string, string>> = new Map(
  Object.entries(codes).map(([number, residues]) => {
    const table = new Map<string, string>();
    for (const [at, residue] of Array.from(residues).entries())
      table.set(`${letters[at >> 4]}${letters[(at >> 2) & 3]}${letters[at & 3]}`, residue);
    return [Number(number), table];
  }),
);

/** Returns the amino acid of a codon by NCBI's number of the genetic code; `X` for one with other letters than ACGT. */
export function residueOf(codon: string, geneticCode: number): string {
  return (tables.get(geneticCode) ?? tables.get(1))?.get(codon) ?? 'X';
}

/** Translates whole codons; bases behind the last one are dropped. */
export function translated(bases: string, geneticCode: number): string {
  let protein = '';
  for (let at = 0; at + 3 <= bases.length; at += 3)
    protein += residueOf(bases.slice(at, at + 3), geneticCode);
  return protein;
}

const complements: Readonly<Record<string, string>> = {
  A: 'T',
  C: 'G',
  G: 'C',
  T: 'A',
  R: 'Y',
  Y: 'R',
  S: 'S',
  W: 'W',
  K: 'M',
  M: 'K',
  B: 'V',
  V: 'B',
  D: 'H',
  H: 'D',
};

/** Returns the bases as read from the other strand. */
export function reverseComplement(bases: string): string {
  let result = '';
  for (let at = bases.length - 1; at >= 0; at -= 1) result += complements[bases[at] as string] ?? 'N';
  return result;
}
