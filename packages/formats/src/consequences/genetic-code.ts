/** Amino acids by codon, in the order of TCAG, as NCBI lists them ("The Genetic Codes"). */
const codes: Readonly<Record<number, string>> = {
  1: 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
  2: 'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG',
  4: 'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
  11: 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
};

/** Returns whether the residues of a genetic code are known, by NCBI's number. */
export function isKnownCode(geneticCode: number): boolean {
  return geneticCode in codes;
}

/** Place in TCAG of a base by its code; of another letter more than all codons have. */
const places = Int32Array.from({ length: 128 }, (_, code) => {
  const place = 'TCAG'.indexOf(String.fromCharCode(code));
  return place < 0 ? 1 << 12 : place;
});

const placeOf = (bases: string, at: number): number => places[bases.charCodeAt(at)] ?? 1 << 12;

/** Returns the amino acid of a codon by NCBI's number of the genetic code; `X` for one with other letters than ACGT. */
export function residueOf(codon: string, geneticCode: number): string {
  return codon.length === 3 ? translated(codon, geneticCode) : 'X';
}

/** Translates whole codons; bases behind the last one are dropped. */
export function translated(bases: string, geneticCode: number): string {
  const residues = codes[geneticCode] ?? (codes[1] as string);
  let protein = '';
  for (let at = 0; at + 3 <= bases.length; at += 3) {
    const codon = (placeOf(bases, at) << 4) + (placeOf(bases, at + 1) << 2) + placeOf(bases, at + 2);
    protein += residues[codon] ?? 'X';
  }
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

/** Complements by the code of a base. */
const complementOf = Array.from({ length: 128 }, (_, code) => complements[String.fromCharCode(code)] ?? 'N');

/** Returns the bases as read from the other strand. */
export function reverseComplement(bases: string): string {
  let result = '';
  for (let at = bases.length - 1; at >= 0; at -= 1) result += complementOf[bases.charCodeAt(at)] ?? 'N';
  return result;
}
