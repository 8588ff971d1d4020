import { type AnnotationLayout, type AnnotationPart, impacts } from '@ploidy/formats';
import { literal } from './sql-text.ts';

/** Places of annotations stay below this, so that rank and place fit into one number. */
const placesMax = 1_000_000;

/**
 * Alternates → one row per alternate and gene, with `gene` and `chosen`: the fields of the annotation that speaks for the gene
 * (MANE or canonical, then protein coding, then impact, then the first). Without an annotation: one row, both NULL.
 * Annotations without a gene (intergenic, regulatory) count only when none has one.
 */
export function genes(
  alternatesSql: string,
  layout: AnnotationLayout | undefined,
  column: string | undefined,
): string {
  if (!layout || column === undefined) {
    return `SELECT *, NULL::VARCHAR AS gene, NULL::VARCHAR[] AS chosen FROM (${alternatesSql})`;
  }
  const split = `SELECT *, ${annotationsOf(layout, column)} AS annotations, ${vepAllele(layout)} AS vep_allele FROM (${alternatesSql})`;
  const ranked = `SELECT * EXCLUDE (vep_allele), list_transform(annotations, lambda a, n: {'gene': ${geneOf(layout)}, 'rank': ${rankOf(layout)} + n, 'own': ${ownOf(layout)}}) AS every
    FROM (${split})`;
  // Files whose alternates were split after annotation still list the others' annotations; files whose annotator named the
  // allele in a way of its own must not lose theirs: with one alternate there is no doubt.
  const most = `SELECT *, list_max(list_transform(every, lambda c: c.own)) AS own FROM (${ranked})`;
  const candidates = `SELECT * EXCLUDE (every, own), CASE WHEN own > 0 THEN list_filter(every, lambda c: c.own = own) WHEN alt_count = 1 THEN every END AS candidates
    FROM (${most})`;
  const named = `list_distinct(list_transform(candidates, lambda c: c.gene))`;
  const withNames = `SELECT *, ${named} AS names FROM (${candidates})`;
  const listed = `SELECT * EXCLUDE (names), unnest(CASE WHEN len(names) > 0 THEN names ELSE [NULL::VARCHAR] END) AS gene FROM (${withNames})`;
  const best = `CASE WHEN gene IS NULL THEN list_min(list_transform(candidates, lambda c: c.rank))
    ELSE list_min(list_transform(list_filter(candidates, lambda c: c.gene = gene), lambda c: c.rank)) END`;
  return `SELECT * EXCLUDE (annotations, candidates), annotations[${best} % ${placesMax}] AS chosen FROM (${listed})`;
}

/** A part of one annotation (a list of fields); NULL when empty, undefined when the file has no such part. */
export function part(
  layout: AnnotationLayout | undefined,
  name: AnnotationPart,
  fields: string,
): string | undefined {
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
 * How surely an annotation is of alternate `i`: 0 is not at all. By its number when it has one, else by its allele as the
 * annotator writes it, else by its allele as in ALT.
 */
function ownOf(layout: AnnotationLayout): string {
  const { alleleNumber, allele } = layout.parts;
  if (alleleNumber !== undefined) {
    return `CASE WHEN coalesce(TRY_CAST(a[${alleleNumber}] AS INTEGER), i) = i THEN 1 ELSE 0 END`;
  }
  if (allele === undefined) return '1';
  const asWritten = layout.alleles === 'vep' ? `WHEN a[${allele}] = vep_allele THEN 2` : '';
  return `CASE ${asWritten} WHEN a[${allele}] = alt THEN 1 ELSE 0 END`;
}

/** VEP drops the first base when some length differs from REF's and all alleles (but `*`) begin with it; nothing left is `-`. */
function vepAllele(layout: AnnotationLayout): string {
  if (layout.alleles === 'alt') return 'NULL';
  const others = `list_filter(alts, lambda x: x <> '*')`;
  const lengthsDiffer = `len(list_filter(${others}, lambda x: strlen(x) <> strlen(ref))) > 0`;
  const sameStart = `len(list_filter(${others}, lambda x: upper(x[1]) <> ref[1])) = 0`;
  return `CASE WHEN alt_count = 1 AND strlen(alt) = strlen(ref) THEN alt
    WHEN ${lengthsDiffer} AND ${sameStart} THEN coalesce(nullif(substr(alt, 2), ''), '-') ELSE alt END`;
}
