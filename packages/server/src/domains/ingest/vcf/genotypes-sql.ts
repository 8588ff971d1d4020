import { columnsBeforeSamples, fieldPatterns } from '@ploidy/formats';
import { adding, brokenLine, literal, literals } from './sql-text.ts';

/** `none`: a sites-only file. `one`: the genotype is a plain column. `many`: a list of carriers. */
export type SampleShape = 'none' | 'one' | 'many';

/** Counts records of several samples that have no GT: nothing says whose they are, so they give no rows. */
export const withoutGenotypeCounter = 'records_without_genotype';

/** Genotypes that need no closer look; for speed only, the slow way judges them the same. */
const reference = ['0/0', '0|0', './.', '.|.', '.', '0', ''];
const carrying = ['0/1', '1/1', '0|1', '1|0', '1|1', '1/0', '1'];

/**
 * Records → those that somebody carries. One sample: with `genotype` (NULL without GT: a record of its only sample). Many: with
 * `carriers`, a list of (s: number of the sample, g: genotype).
 */
export function carriedRecords(recordsSql: string, shape: SampleShape): string {
  if (shape === 'none') return recordsSql;
  const format = adding(recordsSql, [['format', `fields[${columnsBeforeSamples}]`]]);
  const place = adding(format, [
    [
      'gt_place',
      `CASE WHEN format = 'GT' OR starts_with(format, 'GT:') THEN 1 ELSE list_position(string_split(format, ':'), 'GT') END`,
    ],
  ]);
  if (shape === 'many') return manyCarriers(place);
  const genotype = adding(place, [['genotype', ofSample(`fields[${columnsBeforeSamples + 1}]`)]]);
  return `SELECT * FROM (${genotype}) WHERE coalesce(${carries('genotype')}, true)`;
}

function manyCarriers(place: string): string {
  const samples = `fields[${columnsBeforeSamples + 1}:]`;
  const list = `list_filter(list_transform(${samples}, lambda s, i: {'s': i, 'g': ${ofSample('s')}}), lambda c: ${carries('c.g')})`;
  const counted = `CASE WHEN gt_place > 0 THEN ${list} WHEN nextval('${withoutGenotypeCounter}') > 0 THEN NULL END`;
  return `SELECT * FROM (${adding(place, [['carriers', counted]])}) WHERE len(carriers) > 0`;
}

/** The genotype of one sample's column; NULL when the record has no GT. */
function ofSample(sample: string): string {
  const first = `CASE WHEN contains(${sample}, ':') THEN substr(${sample}, 1, instr(${sample}, ':') - 1) ELSE ${sample} END`;
  return `CASE WHEN gt_place = 1 THEN ${first} WHEN gt_place > 1 THEN coalesce(string_split(${sample}, ':')[gt_place], '') END`;
}

/** Whether a genotype names an alternate; NULL for none at all. One that cannot be read raises `brokenLine`. */
function carries(genotype: string): string {
  const numbers = `list_transform(regexp_extract_all(${genotype}, '[0-9]+'), lambda x: CAST(x AS INTEGER))`;
  const valid = `regexp_full_match(${genotype}, ${literal(fieldPatterns.genotype)}) AND coalesce(list_max(${numbers}), 0) <= alt_count`;
  return `CASE WHEN ${genotype} IN (${literals(reference)}) THEN false WHEN ${genotype} IN (${literals(carrying)}) THEN true
    WHEN ${genotype} IS NULL THEN NULL WHEN ${valid} THEN regexp_matches(${genotype}, '[1-9]') ELSE error(${literal(brokenLine)}) END`;
}

/** Alternates → those that somebody carries; genotypes with this alternate as 1 and every other one as 0. */
export function carriedAlternates(alternatesSql: string, shape: SampleShape): string {
  if (shape === 'none') return alternatesSql;
  if (shape === 'one') {
    const own = `SELECT * REPLACE (CASE WHEN alt_count = 1 THEN genotype ELSE ${recoded('genotype')} END AS genotype) FROM (${alternatesSql})`;
    return `SELECT * FROM (${own}) WHERE genotype IS NULL OR contains(genotype, '1')`;
  }
  const others = `list_transform(carriers, lambda c: {'s': c.s, 'g': ${recoded('c.g')}})`;
  const own = `CASE WHEN alt_count = 1 THEN carriers ELSE list_filter(${others}, lambda c: contains(c.g, '1')) END`;
  return `SELECT * FROM (SELECT * REPLACE (${own} AS carriers) FROM (${alternatesSql})) WHERE len(carriers) > 0`;
}

function recoded(genotype: string): string {
  const marked = `regexp_replace(${genotype}, '([0-9]+)', '<\\1>', 'g')`;
  const chosen = `replace(${marked}, concat('<', CAST(i AS VARCHAR), '>'), 'x')`;
  return `replace(regexp_replace(${chosen}, '<[0-9]+>', '0', 'g'), 'x', '1')`;
}
