import { columnsBeforeSamples, fieldPatterns } from '@ploidy/formats';
import { brokenLine, literal, literals } from './sql-text.ts';

/** `none`: a sites-only file. `one`: genotype as a plain column. `many`: a list of carriers. */
export type GenotypeShape = 'none' | 'one' | 'many';

/** Counts records whose samples have no GT; they give rows only when there is no doubt whose they are. */
export const withoutGenotypeCounter = 'records_without_genotype';

/** Genotypes that need no closer look; for speed only, the slow way judges them the same. */
const reference = ['0/0', '0|0', './.', '.|.', '.', '0', ''];
const carrying = ['0/1', '1/1', '0|1', '1|0', '1|1', '1/0', '1', './1', '1/.', '.|1', '1|.'];

/**
 * Columns of a record about who carries an alternate: for one sample `genotype` and `carried`; for many `carriers`, a list
 * of (s: number of the sample, g: genotype).
 */
export function carriersOfRecord(shape: GenotypeShape): string {
  if (shape === 'none') return 'true AS carried';
  const format = `f[${columnsBeforeSamples}]`;
  const first = `(${format} = 'GT' OR starts_with(${format}, 'GT:'))`;
  const place = `list_position(string_split(${format}, ':'), 'GT')`;
  const present = `(coalesce(${place}, 0) > 0)`;
  const sample = `f[${columnsBeforeSamples + 1}]`;
  const alternates = `len(string_split(f[5], ','))`;
  if (shape === 'one') {
    const genotype = `CASE WHEN ${first} THEN ${leading(sample)} WHEN ${present} THEN coalesce(string_split(${sample}, ':')[${place}], '') END`;
    return `${genotype} AS genotype, coalesce(${carries(genotype, alternates)}, true) AS carried`;
  }
  const samples = `f[${columnsBeforeSamples + 1}:]`;
  const list = (genotype: string): string =>
    `list_filter(list_transform(${samples}, lambda s, i: {'s': i, 'g': ${genotype}}), lambda c: ${carries('c.g', alternates)})`;
  const elsewhere = list(`coalesce(string_split(s, ':')[${place}], '')`);
  return `CASE WHEN ${first} THEN ${list(leading('s'))} WHEN ${present} THEN ${elsewhere}
    WHEN nextval('${withoutGenotypeCounter}') > 0 THEN NULL END AS carriers`;
}

/** The genotype with this alternate as 1 and every other one as 0; records with one alternate keep theirs. */
export function carriersOfAlternate(shape: GenotypeShape): string {
  if (shape === 'none') return 'true AS carried';
  if (shape === 'one')
    return `CASE WHEN alt_count = 1 THEN genotype ELSE ${recoded('genotype')} END AS genotype`;
  const others = `list_transform(carriers, lambda c: {'s': c.s, 'g': ${recoded('c.g')}})`;
  return `CASE WHEN alt_count = 1 THEN carriers ELSE list_filter(${others}, lambda c: contains(c.g, '1')) END AS carriers`;
}

/** Records, then alternates, that nobody carries give no row. */
export function isCarried(shape: GenotypeShape, of: 'record' | 'alternate'): string {
  if (shape === 'many') return 'len(carriers) > 0';
  if (shape === 'none' || of === 'record') return 'carried';
  return `coalesce(contains(genotype, '1'), true)`;
}

function leading(sample: string): string {
  return `substr(${sample}, 1, CASE WHEN contains(${sample}, ':') THEN instr(${sample}, ':') - 1 ELSE strlen(${sample}) END)`;
}

function carries(genotype: string, alternates: string): string {
  const numbers = `list_transform(regexp_extract_all(${genotype}, '[0-9]+'), lambda x: CAST(x AS INTEGER))`;
  const valid = `regexp_full_match(${genotype}, ${literal(fieldPatterns.genotype)}) AND coalesce(list_max(${numbers}), 0) <= ${alternates}`;
  return `CASE WHEN ${genotype} IN (${literals(reference)}) THEN false WHEN ${genotype} IN (${literals(carrying)}) THEN true
    WHEN ${valid} THEN regexp_matches(${genotype}, '[1-9]') WHEN ${genotype} IS NULL THEN NULL
    ELSE error(${literal(brokenLine)}) END`;
}

function recoded(genotype: string): string {
  const marked = `regexp_replace(${genotype}, '([0-9]+)', '<\\1>', 'g')`;
  const chosen = `replace(${marked}, concat('<', CAST(i AS VARCHAR), '>'), 'x')`;
  return `replace(regexp_replace(${chosen}, '<[0-9]+>', '0', 'g'), 'x', '1')`;
}
