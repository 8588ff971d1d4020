import type { Row } from '../../api/ask.ts';
import { categories } from '../../design/palette.ts';
import { shownValue } from '../../words/dictionary.ts';

/** Sample of a patient. Tables and drawings show it by its number and colour. */
export interface Sample {
  id: string;
  /** Place among the samples of the patient, from 1. */
  number: number;
  /** Colour of its origin: metastasis, recurrence, or another. */
  colour: string;
  /** Facts in words, by their names. */
  facts: ReadonlyMap<string, string>;
  specimenId: string | undefined;
}

/** Origins in the order of a disease, by the words of sources. */
const origins = [
  { words: /metasta/i, rank: 2, colour: categories[4] },
  { words: /recur|relapse|progress/i, rank: 1, colour: categories[1] },
] as const;
const otherOrigin = { rank: 0, colour: categories[3] } as const;

/**
 * Returns the samples of a patient: by the day of their collection where it is known, then by origin and id. `rows` are those of
 * the tables by their names; `nameOf` names an attribute.
 */
export function samplesIn(
  rows: Readonly<Record<string, readonly Row[]>>,
  nameOf: (attribute: string) => string,
): Sample[] {
  const specimens = new Map((rows['specimen'] ?? []).map((row) => [row['id'], row]));
  const values = Map.groupBy(rows['attribute_value'] ?? [], (row) => row['sample_id']);
  const byId = new Map((rows['sequence'] ?? []).map((row) => [String(row['id']), row]));
  const found = [...byId].map(([id, row]) => {
    const specimen = specimens.get(row['specimen_id']) ?? {};
    const isType = (one: Row): boolean => one['attribute_id'] === 'SAMPLE_TYPE';
    const own = (values.get(id) ?? []).toSorted((one, other) => Number(isType(other)) - Number(isType(one)));
    const facts = [
      ['Test', row['test_type']],
      ['Specimen', specimen['type_display']],
      ['Collected', shownValue('collected_date', specimen['collected_date'])],
      ...own.map((one) => [nameOf(String(one['attribute_id'])), shownOf(one['value'] ?? one['number'])]),
    ].filter((fact): fact is [string, string] => typeof fact[1] === 'string' && fact[1] !== '');
    const type = own.find(isType)?.['value'];
    const words = `${type ?? specimen['type_display'] ?? ''}`;
    const origin = origins.find((one) => one.words.test(words)) ?? otherOrigin;
    return {
      ...{ id, facts: new Map(facts), colour: origin.colour, rank: origin.rank },
      specimenId: typeof row['specimen_id'] === 'string' ? row['specimen_id'] : undefined,
      collected: String(specimen['collected_date'] ?? ''),
    };
  });
  const isDated = found.every(({ collected }) => collected !== '');
  return found
    .sort(
      (one, other) =>
        (isDated ? one.collected.localeCompare(other.collected) : 0) ||
        one.rank - other.rank ||
        one.id.localeCompare(other.id),
    )
    .map(({ rank: _, collected: __, ...sample }, at) => ({ ...sample, number: at + 1 }));
}

/** Writes numbers with four digits, and texts as they are. */
function shownOf(value: unknown): string | undefined {
  if (typeof value === 'number') return value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
  const text = typeof value === 'string' ? value : undefined;
  return text !== undefined && /^-?\d+\.\d{5,}$/.test(text) ? shownOf(Number(text)) : text;
}

/** Returns the facts that differ between samples, each with its value by sample; those first that most samples have. */
export function differingFacts(
  samples: readonly Sample[],
): { name: string; values: (string | undefined)[] }[] {
  const names = [...new Set(samples.flatMap(({ facts }) => [...facts.keys()]))];
  return names
    .map((name) => ({ name, values: samples.map(({ facts }) => facts.get(name)) }))
    .filter(({ values }) => samples.length === 1 || new Set(values).size > 1);
}
