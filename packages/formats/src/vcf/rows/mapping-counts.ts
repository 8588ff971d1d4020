/** Counts of what mapping found in records. Those of the parts of a file are added. */
export class MappingCounts {
  rowCount = 0;
  /** Alternates for which annotations were left out, because their alternate is ambiguous. */
  unclearCount = 0;
  /** Records whose QUAL is no number: it is NULL. */
  oddQualityCount = 0;
  /** Depths, reads and qualities of calls that no column may hold: they are NULL. */
  oddNumberCount = 0;
  /** Alternates that are the reference: they give no rows. */
  unchangedCount = 0;
  /** Alleles with a letter for several bases, such as R, or N for any: they stay as they are. */
  ambiguousCount = 0;
  /** Rows of alleles that records of the same place repeat. */
  repeatedRowCount = 0;
  /** Records without annotations that were compared with the reference. */
  comparedCount = 0;
  /** Records whose REF differs from the reference: their consequences are unknown. */
  contradictedCount = 0;
  /** Calls whose allele fraction was compared with their reads. */
  comparedFractionCount = 0;
  /** Calls whose allele fraction is far from that of their reads. */
  differingFractionCount = 0;

  add(others: PlainCounts): void {
    for (const name of names) this[name] += others[name];
  }
}

/** Counts as threads send them. */
export type PlainCounts = Omit<MappingCounts, 'add'>;

const names = Object.keys(new MappingCounts()) as (keyof PlainCounts)[];
