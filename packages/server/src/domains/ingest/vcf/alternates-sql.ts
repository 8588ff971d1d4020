import { fieldPatterns, unspecifiedAlternates } from '@ploidy/formats';
import { carriedAlternates, type SampleShape } from './genotypes-sql.ts';
import { adding, literal, literals } from './sql-text.ts';

/** Counts symbolic alternates and breakends, which are no rows of `variant`. */
export const symbolicCounter = 'symbolic_alternates';

/**
 * Records → one row per alternate `i` that is a sequence and that somebody carries: position, reference and alternate with the
 * ends they share trimmed, the end first, then the beginning, at least one base left. Nothing is shifted to the left: that
 * needs the reference genome.
 */
export function alternates(recordsSql: string, shape: SampleShape): string {
  const numbered = `SELECT *, unnest(range(1, alt_count + 1)) AS i FROM (${recordsSql})`;
  const named = adding(numbered, [['alt', 'alts[i]']]);
  const sequences = adding(`SELECT * FROM (${named}) WHERE ${isSequence}`, [['alternate', 'upper(alt)']]);
  const end = adding(carriedAlternates(sequences, shape), [['cut_end', shared('ref', 'alternate', 'end')]]);
  const start = adding(
    `SELECT * EXCLUDE (cut_end) REPLACE (${dropEnd('alternate')} AS alternate), ${dropEnd('ref')} AS reference FROM (${end})`,
    [['cut_start', shared('reference', 'alternate', 'start')]],
  );
  return `SELECT * EXCLUDE (cut_start) REPLACE (${dropStart('reference')} AS reference, ${dropStart('alternate')} AS alternate),
    site + cut_start AS position FROM (${start})`;
}

/** An alternate that equals the reference is no variant either. */
const isSequence = `CASE WHEN alt = 'A' OR alt = 'C' OR alt = 'G' OR alt = 'T' THEN alt <> ref
  WHEN regexp_full_match(alt, ${literal(fieldPatterns.bases)}) THEN upper(alt) <> ref
  WHEN alt IN (${literals(unspecifiedAlternates)}) THEN false ELSE nextval('${symbolicCounter}') < 0 END`;

/** How many bases two sequences share at one side, but for one base of the shorter. */
function shared(left: string, right: string, side: 'start' | 'end'): string {
  const bases = (text: string): string =>
    side === 'end' ? `list_reverse(string_split(${text}, ''))` : `string_split(${text}, '')`;
  const shorter = `least(strlen(${left}), strlen(${right}))`;
  const equal = `list_transform(list_zip(${bases(left)}, ${bases(right)}, true), lambda b: b[1] = b[2])`;
  const difference = `nullif(list_position(${equal}, false), 0)`;
  return `CASE WHEN strlen(${left}) = 1 OR strlen(${right}) = 1 THEN 0
    ELSE least(coalesce(${difference}, ${shorter}) - 1, ${shorter} - 1) END`;
}

function dropEnd(text: string): string {
  return `CASE WHEN cut_end = 0 THEN ${text} ELSE left(${text}, strlen(${text}) - cut_end) END`;
}

function dropStart(text: string): string {
  return `CASE WHEN cut_start = 0 THEN ${text} ELSE substr(${text}, cut_start + 1) END`;
}
