import {
  type AnnotationLayout,
  classicEffects,
  clinicalKeys,
  frequencySources,
  groupOfEffect,
  significanceOfNumber,
} from '@ploidy/formats';
import { part } from './annotations-sql.ts';
import { frequency, frequencyOfAlternate, type InfoFields } from './info-sql.ts';
import { decoded, firstOf, lookUp } from './sql-text.ts';

/** Expressions of the columns of `variant` that this file can fill, over the rows of `genes`; the others are NULL. */
export type Columns = ReadonlyMap<string, string>;

export function variantColumns(info: InfoFields, layout: AnnotationLayout | undefined): Columns {
  const all: Record<string, string | undefined> = {
    ...frequencyColumns(info, layout),
    ...clinicalColumns(info, layout),
    ...annotationColumns(layout),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function frequencyColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const fields = [
    ...info.frequencies.map((field) => ({
      global: field.global,
      value: frequencyOfAlternate(field, info.columns.get(field.name) ?? 'NULL'),
    })),
    // Co-located variants give several values with `&`; older VEP writes the allele before the value.
    ...(layout?.frequencies ?? []).map((field) => {
      const text = `chosen[${field.place}]`;
      const last = `string_split(${text}, '&')[1]`;
      const plain = `CASE WHEN contains(${text}, '&') OR contains(${text}, ':') THEN ${last}[instr(${last}, ':') + 1:] ELSE ${text} END`;
      return { global: field.global, value: frequency(plain) };
    }),
  ];
  const values = fields.map((field) => field.value);
  const global = frequencySources.flatMap((source) =>
    fields.filter((field) => field.global === source).map((field) => field.value),
  );
  return {
    minimum_allele_frequency: values.length > 0 ? `least(${values.join(', ')})` : undefined,
    maximum_allele_frequency: values.length > 0 ? `greatest(${values.join(', ')})` : undefined,
    population_allele_frequency: firstOf(global),
  };
}

function clinicalColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const value = (keys: readonly string[]): string | undefined =>
    firstOf(keys.map((key) => info.columns.get(key)));
  const text = (keys: readonly string[]): string | undefined => {
    const expression = value(keys);
    return expression && decoded(expression);
  };
  const alleleId = value(clinicalKeys.alleleId);
  const significance = value(clinicalKeys.significance);
  const existing = part(layout, 'existingVariation', 'chosen');
  const found = (subject: string | undefined, pattern: string): string | undefined =>
    subject && `nullif(regexp_extract(${subject}, '${pattern}'), '')`;
  const rsNumber = found(value(clinicalKeys.rsNumber), '[0-9]+');
  const cosmicPattern = 'COS[MVN][0-9]+';
  const cosmicId = firstOf([
    `CASE WHEN contains(ids, 'COS') THEN ${found('ids', cosmicPattern)} END`,
    found(existing, cosmicPattern),
    found(value(clinicalKeys.cosmicId), cosmicPattern),
  ]);
  const sampleCount = value(clinicalKeys.cosmicSampleCount);
  return {
    rs_id: firstOf([
      `CASE WHEN contains(ids, 'rs') THEN nullif(regexp_extract(ids, '(?:^|;)(rs[0-9]+)', 1), '') END`,
      rsNumber &&
        `concat('rs', ${rsNumber})`.replace(/^/, `CASE WHEN ${rsNumber} IS NOT NULL THEN `).concat(' END'),
      existing && `CASE WHEN contains(${existing}, 'rs') THEN ${found(existing, 'rs[0-9]+')} END`,
    ]),
    clinvar_allele_id: alleleId,
    clinical_disease: ((disease) => disease && `replace(${disease}, '_', ' ')`)(text(clinicalKeys.disease)),
    clinical_review: text(clinicalKeys.review),
    clinical_significance: firstOf([
      significance && significanceWords(significance),
      part(layout, 'significance', 'chosen'),
    ]),
    // In ClinVar's own VCF the id of a record is the VariationID.
    clinical_submission:
      alleleId &&
      `CASE WHEN ${alleleId} IS NOT NULL THEN nullif(regexp_extract(ids, '(?:^|;)([0-9]+)(?:;|$)', 1), '') END`,
    cosmic_id: cosmicId,
    mutation_status: text(clinicalKeys.mutationStatus),
    histology: text(clinicalKeys.histology),
    tumor_site: text(clinicalKeys.tumorSite),
    // Such keys are counts of other things in files that are not COSMIC's.
    cosmic_sample_count:
      sampleCount && `CASE WHEN ${cosmicId} IS NOT NULL THEN TRY_CAST(${sampleCount} AS BIGINT) END`,
  };
}

function significanceWords(value: string): string {
  const numbers = `CASE WHEN len(string_split(${value}, ',')) = alt_count THEN string_split(${value}, ',')[i] ELSE ${value} END`;
  const words = `list_distinct(list_transform(regexp_extract_all(${numbers}, '[0-9]+'), lambda x: ${lookUp('x', significanceOfNumber, 'x')}))`;
  return `CASE WHEN regexp_full_match(${value}, '[0-9|,]+') THEN array_to_string(list_sort(${words}), '|') ELSE ${decoded(value)} END`;
}

function annotationColumns(layout: AnnotationLayout | undefined): Record<string, string | undefined> {
  if (!layout) return {};
  const text = (name: Parameters<typeof part>[1]): string | undefined => part(layout, name, 'chosen');
  const terms = text('effect');
  const standings = [text('canonical'), text('maneSelect'), text('manePlusClinical')].filter(
    (value) => value !== undefined,
  );
  const effect = terms && effectOf(terms, layout.shape);
  const change = text('aminoAcidChange');
  return {
    gene: `gene`,
    impact: text('impact'),
    transcript_id: text('transcript'),
    biotype: text('biotype'),
    // VEP puts the protein's name before the change: `ENSP00000349508.3:p.Arg97Gln`.
    amino_acid_change: change && decoded(`(${change})[instr(${change}, ':') + 1:]`),
    ebcanon_class: effect,
    ebcanon_group: effect && lookUp(effect, groupOfEffect, 'NULL'),
    is_canonical:
      standings.length > 0
        ? `CASE WHEN chosen IS NOT NULL THEN coalesce(${standings.join(', ')}) IS NOT NULL END`
        : undefined,
  };
}

/** The first term that belongs to a group, else the first; annotators put the gravest first. */
function effectOf(terms: string, shape: AnnotationLayout['shape']): string {
  const separator = shape === 'classic' ? '+' : '&';
  const named = (term: string): string => (shape === 'classic' ? lookUp(term, classicEffects, term) : term);
  const list = `string_split(${terms}, '${separator}')`;
  const grouped = `list_filter(list_transform(${list}, lambda x: ${named('x')}), lambda x: (${lookUp('x', groupOfEffect, 'NULL')}) IS NOT NULL)[1]`;
  return `CASE WHEN contains(${terms}, '${separator}') THEN coalesce(${grouped}, ${named(`${list}[1]`)}) ELSE ${named(terms)} END`;
}
