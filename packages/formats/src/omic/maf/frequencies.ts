import { type Header, textAt } from '../../delimited/index.ts';
import {
  annotationFrequency,
  type FrequencyField,
  frequencySources,
  infoFrequency,
} from '../../vcf/frequencies.ts';

/** Names that occur in MAFs only: GDC (`1000G_AF`, `ESP_AA_AF`), VEP before 90 (`GMAF`, `AFR_MAF`), ExAC of vcf2maf (`ExAC_AF_AFR`). */
const ownRules: [pattern: RegExp, global?: FrequencyField['global']][] = [
  [/^(?:1000G_AF|GMAF)$/i, 'thousandGenomes'],
  [/^1000G_(?:AFR|AMR|EAS|EUR|SAS)_AF$/i],
  [/^ESP_(?:AA|EA)_AF$/i],
  [/^ExAC_AF_\w+$/i],
  [/^(?:AFR|AMR|ASN|EAS|EUR|SAS|AA|EA)_MAF$/],
];

/** Columns of VEP; without one of them `AF` may be anything, of the tumor most likely. */
const annotatorColumns = ['Consequence', 'AFR_AF', 'EUR_AF', 'all_effects'];

interface PopulationFrequencies {
  minimum_allele_frequency: number | undefined;
  maximum_allele_frequency: number | undefined;
  population_allele_frequency: number | undefined;
}

/** Builds the readers of the population frequencies of a record. */
export function frequenciesOf(
  header: Header,
): (fields: readonly string[], alternate: string) => PopulationFrequencies {
  const isAnnotated = header.hasOne(...annotatorColumns);
  const columns = header.names.flatMap((name, place) => {
    if (/^AF$/i.test(name) && !isAnnotated) return [];
    const field = fieldOf(name.trim());
    const trust = field?.global ? frequencySources.indexOf(field.global) : frequencySources.length;
    return field ? [{ place, trust }] : [];
  });
  return (fields, alternate) => {
    let [minimum, maximum, global, trust]: (number | undefined)[] = [];
    for (const column of columns) {
      const value = frequencyIn(textAt(fields, column.place), alternate);
      if (value === undefined) continue;
      minimum = Math.min(minimum ?? value, value);
      maximum = Math.max(maximum ?? value, value);
      if (column.trust < (trust ?? frequencySources.length)) [global, trust] = [value, column.trust];
    }
    return {
      minimum_allele_frequency: minimum,
      maximum_allele_frequency: maximum,
      population_allele_frequency: global,
    };
  };
}

function fieldOf(name: string): FrequencyField | undefined {
  const own = ownRules.find(([pattern]) => pattern.test(name));
  if (own) return { name, referenceFirst: false, ...(own[1] && { global: own[1] }) };
  const field = annotationFrequency(name) ?? infoFrequency(name);
  return field?.referenceFirst ? undefined : field;
}

/** Reads `0.01`; the first of several (`0.01&0.02`); the one that names the alternate (`T:0.01,G:0.2`). */
function frequencyIn(text: string | undefined, alternate: string): number | undefined {
  if (text === undefined) return undefined;
  const values = text.split(/[&,;]/).map((value) => value.split(':'));
  const named = values.filter((value) => value.length === 2);
  const [value] = named.length > 0 ? named.filter(([allele]) => allele === alternate) : values;
  const number = Number(value?.at(-1) || Number.NaN);
  return number >= 0 && number <= 1 ? number : undefined;
}
