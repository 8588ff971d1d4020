import { type AnnotationLayout, clinicalKeys } from '@ploidy/formats';
import { effectColumns } from './effects-sql.ts';
import { frequencyColumns, frequencyNumbers } from './frequencies-sql.ts';
import type { InfoFields } from './info-sql.ts';
import { significance } from './significance-sql.ts';
import { adding, decoded, firstOf, unlessMissing } from './sql-text.ts';

/** Name of a column of `variant` → its expression over `prepared`. A column that the file cannot fill is not in it. */
export type Columns = ReadonlyMap<string, string>;

/** The parts of the chosen annotation as columns `part_…`; what follows takes them by name. */
export function prepared(rowsSql: string, info: InfoFields, layout: AnnotationLayout | undefined): string {
  const parts = Object.entries(layout?.parts ?? {}).map(([name, place]): [string, string] => [
    `part_${name}`,
    `chosen[${place}]`,
  ]);
  return adding(rowsSql, [...parts, ...frequencyNumbers(info, layout)]);
}

export function variantColumns(info: InfoFields, layout: AnnotationLayout | undefined): Columns {
  const all: Record<string, string | undefined> = {
    ...frequencyColumns(info, layout),
    ...identifierColumns(info, layout),
    ...clinicalColumns(info, layout),
    ...annotationColumns(layout),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The first of some INFO keys that a record has. */
function infoValue(info: InfoFields, keys: readonly string[]): string | undefined {
  const columns = keys.map((key) => info.columns.get(key)).filter((column) => column !== undefined);
  return firstOf(columns.map(unlessMissing));
}

function infoText(info: InfoFields, keys: readonly string[]): string | undefined {
  const columns = keys.map((key) => info.columns.get(key)).filter((column) => column !== undefined);
  return firstOf(
    columns.map((column) => `CASE WHEN ${unlessMissing(column)} IS NOT NULL THEN ${decoded(column)} END`),
  );
}

function part(
  layout: AnnotationLayout | undefined,
  name: keyof AnnotationLayout['parts'],
): string | undefined {
  return layout?.parts[name] === undefined ? undefined : `nullif(part_${name}, '')`;
}

/** `subject` is a plain column. */
function found(subject: string, sign: string, pattern: string): string {
  return `CASE WHEN contains(${subject}, '${sign}') THEN nullif(regexp_extract(${subject}, '${pattern}', 1), '') END`;
}

function identifierColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const existing = layout?.parts.existingVariation === undefined ? undefined : 'part_existingVariation';
  const rsNumber = clinicalKeys.rsNumber
    .map((key) => info.columns.get(key))
    .find((column) => column !== undefined);
  const cosmic = '(COS[MVN][0-9]+)';
  const cosmicId = firstOf([
    found('ids', 'COS', cosmic),
    existing && found(existing, 'COS', cosmic),
    ...clinicalKeys.cosmicId
      .map((key) => info.columns.get(key))
      .map((column) => column && found(column, 'COS', cosmic)),
  ]);
  const sampleCount = infoValue(info, clinicalKeys.cosmicSampleCount);
  const alleleId = infoValue(info, clinicalKeys.alleleId);
  return {
    rs_id: firstOf([
      `CASE WHEN starts_with(ids, 'rs') AND regexp_full_match(ids, 'rs[0-9]+') THEN ids ELSE ${found('ids', 'rs', '(?:^|;)(rs[0-9]+)')} END`,
      // Without a number: concat with NULL would give `rs`.
      rsNumber && `('rs' || nullif(regexp_extract(${rsNumber}, '^[0-9]+'), ''))`,
      existing && found(existing, 'rs', '(rs[0-9]+)'),
    ]),
    cosmic_id: cosmicId,
    // In files that are not COSMIC's such keys count other things.
    cosmic_sample_count:
      sampleCount && `CASE WHEN ${cosmicId} IS NOT NULL THEN TRY_CAST(${sampleCount} AS BIGINT) END`,
    clinvar_allele_id: alleleId,
    // In ClinVar's own VCF the id of a record is the VariationID.
    clinical_submission:
      alleleId &&
      `CASE WHEN ${alleleId} IS NOT NULL THEN nullif(regexp_extract(ids, '(?:^|;)([0-9]+)(?:;|$)', 1), '') END`,
  };
}

function clinicalColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const disease = infoText(info, clinicalKeys.disease);
  const significanceColumn = info.columns.get(clinicalKeys.significance[0]);
  return {
    clinical_disease: disease && `replace(${disease}, '_', ' ')`,
    clinical_review: infoText(info, clinicalKeys.review),
    clinical_significance: firstOf([
      significanceColumn && significance(significanceColumn),
      part(layout, 'significance'),
    ]),
    mutation_status: infoText(info, clinicalKeys.mutationStatus),
    histology: infoText(info, clinicalKeys.histology),
    tumor_site: infoText(info, clinicalKeys.tumorSite),
  };
}

function annotationColumns(layout: AnnotationLayout | undefined): Record<string, string | undefined> {
  if (!layout) return {};
  const standings = [part(layout, 'canonical'), part(layout, 'maneSelect'), part(layout, 'manePlusClinical')];
  const standing = firstOf(standings);
  // VEP puts the protein's name before the change: `ENSP00000349508.3:p.Arg97Gln`.
  const change = `CASE WHEN contains(part_aminoAcidChange, ':') OR contains(part_aminoAcidChange, '%')
    THEN regexp_extract(${decoded('part_aminoAcidChange')}, '[^:]*$') ELSE part_aminoAcidChange END`;
  return {
    gene: 'gene',
    impact: part(layout, 'impact'),
    transcript_id: part(layout, 'transcript'),
    biotype: part(layout, 'biotype'),
    amino_acid_change: part(layout, 'aminoAcidChange') && `nullif(${change}, '')`,
    ...effectColumns(layout),
    is_canonical: standing && `CASE WHEN chosen IS NOT NULL THEN ${standing} IS NOT NULL END`,
  };
}
