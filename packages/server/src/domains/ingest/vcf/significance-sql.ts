import { significanceOfNumber } from '@ploidy/formats';
import { decoded, lookUp, unlessMissing } from './sql-text.ts';

/**
 * Clinical significance as ClinVar writes it today. Until 2017 it wrote numbers: one group per allele, separated by commas, in
 * a group one per submission, separated by `|`. `column` is a plain column.
 */
export function significance(column: string): string {
  const groups = `string_split(${column}, ',')`;
  const own = `CASE WHEN len(${groups}) = alt_count THEN ${groups}[i] ELSE ${column} END`;
  const words = `list_transform(regexp_extract_all(${own}, '[0-9]+'), lambda x: coalesce(${lookUp('x', significanceOfNumber)}, x))`;
  return `CASE WHEN regexp_full_match(${column}, '[0-9|,]+') THEN nullif(array_to_string(list_sort(list_distinct(${words})), '|'), '')
    WHEN ${unlessMissing(column)} IS NOT NULL THEN ${decoded(column)} END`;
}
