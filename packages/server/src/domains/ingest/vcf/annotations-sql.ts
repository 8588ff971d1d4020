import { type AnnotationLayout, type AnnotationPart, impacts } from '@ploidy/formats';
import { literal } from './sql-text.ts';

/** Places of annotations stay below this, so that rank and place fit into one number. */
const placesMax = 1_000_000;

/**
 * Alternates → one row per alternate and gene, with `gene` and `chosen`: the fields of the annotation that speaks for the gene
 * (MANE or canonical, then protein coding, then impact, then the first). Without an annotation: one row, both NULL.
 * Annotations without a gene (intergenic, regulatory) count only when none has one.
 */
export function genes(alternatesSql: string, layout: AnnotationLayout | undefined, column: string | undefined): string {
  if (!layout || column === undefined) {
    return `SELECT *, NULL::VARCHAR AS gene, NULL::VARCHAR[] AS chosen FROM (${alternatesSql})`;
  }
  const split = `SELECT *, ${annotationsOf(layout, column)} AS annotations FROM (${alternatesSql})`;
  const ranked = `SELECT *, list_transform(annotations, lambda a, n: {'gene': ${geneOf(layout)}, 'rank': ${rankOf(layout)} + n, 'own': ${isOf(layout)}}) AS every
    FROM (${split})`;
  // Files whose alternates were split after annotation still list the others' annotations; files whose annotator named the
  // allele in a way of its own must not lose theirs, and with one alternate there is no doubt.
  const own = `list_filter(every, lambda c: c.own)`;
  const candidates = `SELECT * EXCLUDE (every), CASE WHEN len(every) = len(${own}) THEN every WHEN len(${own}) > 0 OR alt_count > 1 THEN ${own} ELSE every END AS candidates
    FROM (${ranked})`;
  const named = `list_distinct(list_transform(candidates, lambda c: c.gene))`;
  const named2 = `SELECT *, ${named} AS names FROM (${candidates})`;
  const listed = `SELECT * EXCLUDE (names), unnest(CASE WHEN len(names) > 0 THEN names ELSE [NULL] END) AS gene FROM (${named2})`;
  const best = `CASE WHEN gene IS NULL THEN list_min(list_transform(candidates, lambda c: c.rank))
    ELSE list_min(list_transform(list_filter(candidates, lambda c: c.gene = gene), lambda c: c.rank)) END`;
  return `SELECT * EXCLUDE (annotations, candidates), annotations[${best} % ${placesMax}] AS chosen FROM (${listed})`;
}

/** A part of one annotation (a list of fields); NULL when empty, undefined when the file has no such part. */
export function part(layout: AnnotationLayout | undefined, name: AnnotationPart, fields: string): string | undefined {
  const place = layout?.parts[name];
  return place === undefined ? undefined : `nullif(${fields}[${place}], '')`;
}

function annotationsOf(layout: AnnotationLayout, column: string): string {
  const text = layout.shape === 'classic' ? `translate(${column}, '()', '|')` : column;
  return `list_transform(string_split(${text}, ','), lambda x: string_split(x, '|'))`;
}

/** The gene's symbol, else its id. */
function geneOf(layout: AnnotationLayout): string {
  const symbol = part(layout, 'symbol', 'a');
  const id = part(layout, 'geneId', 'a');
  return symbol && id ? `coalesce(${symbol}, ${id})` : (symbol ?? id ?? 'NULL::VARCHAR');
}

function rankOf(layout: AnnotationLayout): string {
  const has = (name: AnnotationPart): string | undefined => {
    const place = layout.parts[name];
    return place === undefined ? undefined : `a[${place}]`;
  };
  const [mane, plus, canonical] = [has('maneSelect'), has('manePlusClinical'), has('canonical')];
  const standing = [
    ...(mane ? [`WHEN ${mane} <> '' THEN 0`] : []),
    ...(canonical ? [`WHEN ${canonical} = 'YES' THEN 1`] : []),
    ...(plus ? [`WHEN ${plus} <> '' THEN 2`] : []),
  ];
  const biotype = has('biotype');
  const impact = has('impact');
  const byImpact = impacts.map((name, index) => `WHEN ${literal(name)} THEN ${index}`).join(' ');
  const terms = [
    ...(standing.length > 0 ? [`(CASE ${standing.join(' ')} ELSE 3 END) * 10`] : []),
    ...(biotype ? [`(CASE WHEN ${biotype} = 'protein_coding' THEN 0 ELSE 5 END)`] : []),
    ...(impact ? [`(CASE ${impact} ${byImpact} ELSE ${impacts.length} END)`] : []),
  ];
  return terms.length === 0 ? '0' : `(${terms.join(' + ')}) * ${placesMax}`;
}

/**
 * Whether an annotation is of alternate `i`: by its number, else by its allele, written as in ALT (SnpEff) or as VEP does: when
 * lengths differ and all alleles begin with the same base, without that base, and `-` for nothing.
 */
function isOf(layout: AnnotationLayout): string {
  const { alleleNumber, allele } = layout.parts;
  if (alleleNumber !== undefined) return `coalesce(TRY_CAST(a[${alleleNumber}] AS INTEGER), i) = i`;
  if (allele === undefined) return 'true';
  return `a[${allele}] = alt OR (strlen(ref) + strlen(alt) > 2 AND a[${allele}] = coalesce(nullif(substr(alt, 2), ''), '-'))`;
}
