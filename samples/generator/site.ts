/** Row of a VCF before any genotype is known: its alleles, their attributes and frequency. */
export interface Site {
  chromosome: string;
  position: number;
  id: string;
  reference: string;
  alternates: readonly string[];
  quality: number;
  filter: string;
  /** INFO entries that do not depend on the samples. */
  info: readonly string[];
  annotation: string;
  /** Frequency of each alternate allele, 0..1. */
  frequencies: readonly number[];
  /** Genes named in ANN for each alternate allele; 0 for `*`, which is no allele of its own (VCF 4.3 §1.6.1). */
  genesPerAlternate: readonly number[];
}
