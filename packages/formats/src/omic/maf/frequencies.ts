import { equal } from '../../bytes.ts';
import { type Header, textAt } from '../../delimited/index.ts';
import {
  annotationFrequency,
  type FrequencyField,
  frequencySources,
  infoFrequency,
} from '../../vcf/frequencies.ts';
import { agreedFrequency } from '../../vcf/rows/columns/frequencies.ts';

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

/** Population frequencies of a record, with what turned out about them after the last one. */
interface FrequencyReader {
  read(fields: readonly string[], alternate: string): PopulationFrequencies;
  remarks(): string[];
}

/** Builds the reader of the population frequencies of a record. */
export function frequenciesOf(header: Header): FrequencyReader {
  const isAnnotated = header.hasOne(...annotatorColumns);
  const columns = header.names.flatMap((name, place) => {
    if (/^AF$/i.test(name) && !isAnnotated) return [];
    const field = fieldOf(name.trim());
    const trust = field?.global ? frequencySources.indexOf(field.global) : frequencySources.length;
    return field ? [{ place, trust }] : [];
  });
  let differingCount = 0;
  const read: FrequencyReader['read'] = (fields, alternate) => {
    let [minimum, maximum, global, trust]: (number | undefined)[] = [];
    for (const column of columns) {
      const value = frequencyIn(textAt(fields, column.place), alternate);
      if (value === undefined) differingCount += 1;
      if (value === undefined || Number.isNaN(value)) continue;
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
  return { read, remarks: () => (differingCount === 0 ? [] : [differing(differingCount)]) };
}

const differing = (count: number): string =>
  `${count} values of population frequencies are several that differ, such as 0.01&0.02, or are none, such as 5%: they are left out.`;

function fieldOf(name: string): FrequencyField | undefined {
  const own = ownRules.find(([pattern]) => pattern.test(name));
  if (own) return { name, referenceFirst: false, ...(own[1] && { global: own[1] }) };
  const field = annotationFrequency(name) ?? infoFrequency(name);
  return field?.referenceFirst ? undefined : field;
}

const encoder = new TextEncoder();

/**
 * Reads `0.01`, and several as a VCF's annotation: `0.01&0.01`, those of the alternate in `T:0.01,G:0.2`. MAFs have other signs
 * between them. Undefined where they differ or are no frequencies, NaN without any.
 */
function frequencyIn(text: string | undefined, alternate: string): number | undefined {
  if (text === undefined) return Number.NaN;
  const joined = text
    .split(/[&,;]/)
    .map((value) => value.trim())
    .join('&');
  const bytes = encoder.encode(joined);
  const own = encoder.encode(alternate);
  return agreedFrequency(bytes, 0, bytes.length, (from, to) => equal(bytes, from, to, own, 0, own.length));
}
