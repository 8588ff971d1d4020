import { type AnnotationLayout, frequencySources } from '@ploidy/formats';
import { type InfoFields, valueOfAlternate } from './info-sql.ts';
import { firstOf } from './sql-text.ts';

type Named = [name: string, sql: string];

/** Every population frequency of an alternate as a column: a number, or NULL for what is none. */
export function frequencyTexts(info: InfoFields, layout: AnnotationLayout | undefined): Named[] {
  return fields(info, layout).map(({ name, text }) => [name, `TRY_CAST(${text} AS DOUBLE)`]);
}

/** The least, the greatest and the global one; numbers outside 0..1 (and not-a-number) are no frequencies. */
export function frequencyColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const every = fields(info, layout).map(({ name, global }) => ({
    global,
    value: `CASE WHEN ${name} BETWEEN 0 AND 1 THEN ${name} END`,
  }));
  if (every.length === 0) return {};
  const values = every.map((field) => field.value).join(', ');
  const global = frequencySources.flatMap((source) =>
    every.filter((field) => field.global === source).map((field) => field.value),
  );
  return {
    minimum_allele_frequency: every.length > 1 ? `least(${values})` : values,
    maximum_allele_frequency: every.length > 1 ? `greatest(${values})` : values,
    population_allele_frequency: firstOf(global),
  };
}

function fields(info: InfoFields, layout: AnnotationLayout | undefined) {
  return [
    ...info.frequencies.map((field) => ({ global: field.global, text: valueOfAlternate(field) })),
    ...(layout?.frequencies ?? []).map(({ global, place }) => ({
      global,
      text: firstNumber(`chosen[${place}]`),
    })),
  ].map((field, index) => ({ ...field, name: `frequency_${index}` }));
}

/** Co-located variants give several values with `&`; VEP before 90 writes the allele before the value (`T:0.0958`). */
function firstNumber(field: string): string {
  return `CASE WHEN contains(${field}, '&') OR contains(${field}, ':') THEN regexp_extract(${field}, '[0-9][0-9.eE-]*') ELSE ${field} END`;
}
