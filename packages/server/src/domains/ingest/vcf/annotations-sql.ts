import { type AnnotationLayout, type AnnotationPart, impacts } from '@ploidy/formats';
import { adding, lookUp } from './sql-text.ts';

/** Places of annotations stay below this, so that rank and place fit into one number. */
const placesMax = 1_000_000;

/**
 * Alternates → one row per alternate and gene, with `gene` and `chosen`: the fields of the annotation that speaks for the gene
 * (MANE or canonical, then protein coding, then impact, then the first). Without an annotation: one row, both NULL.
 * Annotations without a gene (intergenic, regulatory) count only when none has one.
 */
export function genes(alternatesSql: string, layout: AnnotationLayout, column: string): string {
  const split = adding(alternatesSql, [['annotations', annotationsOf(layout, column)]]);
  const own = adding(adding(split, [['written', alleleAsWritten(layout)]]), [
    ['own_allele', ownAllele(layout)],
  ]);
  const judged = adding(own, [
    ['genes', `list_transform(annotations, lambda a: CASE WHEN ${isOwn(layout)} THEN ${geneOf(layout)} END)`],
    [
      'ranks',
      `list_transform(annotations, lambda a, n: CASE WHEN ${isOwn(layout)} THEN ${rankOf(layout)} + n END)`,
    ],
  ]);
  const distinct = adding(judged, [['names', `list_filter(list_distinct(genes), lambda g: g <> '')`]]);
  const unfolded = adding(distinct, [
    ['gene', 'unnest(CASE WHEN len(names) > 0 THEN names ELSE [NULL::VARCHAR] END)'],
  ]);
  const best = `CASE WHEN len(names) > 1 THEN list_min(list_filter(ranks, lambda r, n: genes[n] = gene)) ELSE list_min(ranks) END`;
  return `SELECT * EXCLUDE (annotations, written, own_allele, genes, ranks, names), annotations[${best} % ${placesMax}] AS chosen
    FROM (${unfolded})`;
}

function annotationsOf(layout: AnnotationLayout, column: string): string {
  const text = layout.shape === 'classic' ? `translate(${column}, '()', '|')` : column;
  return `list_transform(string_split(${text}, ','), lambda x: string_split(x, '|'))`;
}

/** The gene's symbol, else its id, else an empty text. Written so that a part is taken as few times as can be. */
function geneOf({ parts: { symbol, geneId } }: AnnotationLayout): string {
  if (symbol === undefined || geneId === undefined) {
    const place = symbol ?? geneId;
    return place === undefined ? `''` : `a[${place}]`;
  }
  return `CASE WHEN a[${symbol}] = '' THEN a[${geneId}] ELSE a[${symbol}] END`;
}

function rankOf(layout: AnnotationLayout): string {
  const field = (name: AnnotationPart): string | undefined =>
    layout.parts[name] === undefined ? undefined : `a[${layout.parts[name]}]`;
  const [mane, plus, canonical] = [field('maneSelect'), field('manePlusClinical'), field('canonical')];
  const standing = [
    ...(mane ? [`WHEN ${mane} <> '' THEN 0`] : []),
    ...(canonical ? [`WHEN ${canonical} = 'YES' THEN 10`] : []),
    ...(plus ? [`WHEN ${plus} <> '' THEN 20`] : []),
  ];
  const biotype = field('biotype');
  const impact = field('impact');
  const terms = [
    `CASE WHEN ${geneOf(layout)} <> '' THEN 0 ELSE 100 END`,
    ...(standing.length > 0 ? [`CASE ${standing.join(' ')} ELSE 30 END`] : []),
    ...(biotype ? [`CASE WHEN ${biotype} = 'protein_coding' THEN 0 ELSE 5 END`] : []),
    ...(impact
      ? [
          `coalesce(${lookUp(
            impact,
            impacts.map((name, index) => [name, index] as const),
          )}, ${impacts.length})`,
        ]
      : []),
  ];
  return `(${terms.join(' + ')}) * ${placesMax}`;
}

/**
 * The allele as the annotator writes it. VEP drops the first base when some length differs from REF's and all alleles (but `*`)
 * begin with it, and writes `-` for nothing.
 */
function alleleAsWritten(layout: AnnotationLayout): string {
  if (layout.alleles === 'alt') return 'alt';
  const others = `list_filter(alts, lambda x: x <> '*')`;
  const lengthsDiffer = `len(list_filter(${others}, lambda x: strlen(x) <> strlen(ref))) > 0`;
  const sameStart = `len(list_filter(${others}, lambda x: upper(x[1]) <> ref[1])) = 0`;
  return `CASE WHEN alt_count = 1 AND strlen(alt) = strlen(ref) THEN alt
    WHEN ${lengthsDiffer} AND ${sameStart} THEN coalesce(nullif(substr(alt, 2), ''), '-') ELSE alt END`;
}

/**
 * What the annotations of this alternate say as their allele: as the annotator writes it, else as in ALT. Files whose alternates
 * were split after annotation still list the others' annotations. NULL when no annotation names it and there is but one
 * alternate: then there is no doubt. With several it is a text that no annotation has.
 */
function ownAllele({ parts: { allele, alleleNumber } }: AnnotationLayout): string {
  if (alleleNumber !== undefined || allele === undefined) return 'NULL';
  const named = `list_transform(annotations, lambda a: a[${allele}])`;
  return `CASE WHEN annotations[1][${allele}] = written THEN written WHEN list_contains(${named}, written) THEN written
    WHEN list_contains(${named}, alt) THEN alt WHEN alt_count > 1 THEN '|' END`;
}

function isOwn({ parts: { allele, alleleNumber } }: AnnotationLayout): string {
  if (alleleNumber !== undefined) return `coalesce(TRY_CAST(a[${alleleNumber}] AS INTEGER), i) = i`;
  return allele === undefined ? 'true' : `(own_allele IS NULL OR a[${allele}] = own_allele)`;
}
