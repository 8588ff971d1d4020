/** Values that a numeric column may hold, of any source. */
interface Domain {
  least: number;
  most: number;
  isWhole?: true;
}

/** Names of chromosomes have at most some thousand million bases; positions with more digits are no exact numbers everywhere. */
const place: Domain = { least: 1, most: 1e15, isWhole: true };
const share: Domain = { least: 0, most: 1 };
/** Deeper than any assay reads, and below the greatest numbers of 32 bits, which stand for none. */
const reads: Domain = { least: 0, most: 1e9, isWhole: true };
const phred: Domain = { least: 0, most: 1e9 };

/**
 * Domains of the numeric columns of omic tables. A value outside of it stands for a missing one (-1, -9, 9999, 1e30), or
 * is of another unit. Readers leave it out.
 */
export const domains = {
  position: place,
  start_position: place,
  end_position: place,
  start_position1: place,
  end_position1: place,
  start_position2: place,
  end_position2: place,
  minimum_allele_frequency: share,
  maximum_allele_frequency: share,
  population_allele_frequency: share,
  allele_fraction: share,
  cosmic_sample_count: reads,
  quality: phred,
  genotype_quality: phred,
  depth: reads,
  reference_depth: reads,
  alternate_depth: reads,
  // The most amplified genes have some hundred copies.
  copy_number: { least: 0, most: 500 },
  // Intensities of mass spectrometers are up to 1e13.
  expression: { least: -1e15, most: 1e15 },
  raw_count: { least: 0, most: 2e9 },
} satisfies Record<string, Domain>;

/**
 * Logarithms (base 2) of ratios that can be measured: below and above these a program has put a number for no reads, as a rule
 * a whole one.
 */
export const segmentMeans: Domain = { least: -8, most: 8 };

/** Returns whether a column may hold a value; true for a column without a domain. */
export function isWithin(column: string, value: number): boolean {
  const domain: Domain | undefined = domains[column as keyof typeof domains];
  return domain === undefined || isIn(domain, value);
}

export const isIn = ({ least, most, isWhole }: Domain, value: number): boolean =>
  value >= least && value <= most && (!isWhole || Number.isSafeInteger(value));
