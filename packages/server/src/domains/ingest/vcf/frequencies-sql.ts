import { type AnnotationLayout, frequencySources } from '@ploidy/formats';
import { type InfoFields, valueOfAlternate } from './info-sql.ts';

type Named = [name: string, sql: string];

/** Every population frequency of an alternate as a column of numbers. */
export function frequencyNumbers(info: InfoFields, layout: AnnotationLayout | undefined): Named[] {
  return fields(info, layout).map(({ name, text }) => [name, `TRY_CAST(${text} AS DOUBLE)`]);
}

/** The least, the greatest and the global one; numbers outside 0..1 (and not-a-number) are no frequencies. */
export function frequencyColumns(
  info: InfoFields,
  layout: AnnotationLayout | undefined,
): Record<string, string | undefined> {
  const every = fields(info, layout);
  if (every.length === 0) return {};
  const names = every.map(({ name }) => name);
  const global = frequencySources.flatMap((source) => every.filter((field) => field.global === source));
  return {
    minimum_allele_frequency: choice('least', names),
    maximum_allele_frequency: choice('greatest', names),
    population_allele_frequency:
      global.length > 0
        ? choice(
            'coalesce',
            global.map(({ name }) => name),
          )
        : undefined,
  };
}

/** One of several numbers. All are looked at one by one only when the extremes say that some is no frequency. */
function choice(choose: 'least' | 'greatest' | 'coalesce', names: string[]): string {
  const valid = names.map((name) => `CASE WHEN ${name} BETWEEN 0 AND 1 THEN ${name} END`);
  if (names.length === 1) return valid.join();
  const list = names.join(', ');
  return `CASE WHEN least(${list}) >= 0 AND greatest(${list}) <= 1 THEN ${choose}(${list}) ELSE ${choose}(${valid.join(', ')}) END`;
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
