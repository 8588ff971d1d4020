/** Content of a page besides its resources. */
export interface PageContent {
  /** Resources by type. */
  counts: Map<string, number>;
  /** Ids of its patients; at most one more than `patientsMax`. */
  patients: string[];
  /** Address of the next page, as written. */
  next: string | undefined;
  /** True if the system reports that requested data are missing. */
  isPartial: boolean;
  /** Number of results of the search on all pages, if stated. */
  total?: number;
}

/** Maximum patients of a page: a walk over patients is stored with each of its steps. */
export const patientsMax = 100_000;
/** FHIR has fewer than two hundred. */
const typesMax = 500;

/**
 * Adds to a count by type. Bounded: types beyond the limit count as `Other`, so that a hostile system cannot
 * fill memory.
 */
export function countType(counts: Map<string, number>, type: string, count: number): void {
  const name = counts.has(type) || counts.size < typesMax ? type : 'Other';
  counts.set(name, (counts.get(name) ?? 0) + count);
}
