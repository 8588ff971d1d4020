import { isOneOf, type Where } from '../../api/where.ts';
import { regionOf } from '../../study/variant-test.ts';

/** Conditions on variants, as texts of the address. */
export interface Choice {
  gene?: string | undefined;
  region?: string | undefined;
  consequence?: string | undefined;
  significance?: string | undefined;
  frequency?: string | undefined;
  sample?: string | undefined;
  /** Change of the protein that the page of a gene has chosen. */
  change?: string | undefined;
  /** Tab that is shown. */
  view?: string | undefined;
}

/** Conditions on one row of the table of variants; `undefined` when nothing is chosen. */
export function variantWhere(choice: Choice): Where | undefined {
  const { gene, region, consequence, significance, frequency, sample } = choice;
  const conditions: Where = {
    ...(gene && { gene: isOneOf(listOf(gene)) }),
    ...regionConditions(region),
    ...(consequence && { ebcanon_class: isOneOf(listOf(consequence)) }),
    ...(significance && { clinical_significance: isOneOf(listOf(significance)) }),
    ...(frequency && { population_allele_frequency: [{ operator: 'lte', value: Number(frequency) }] }),
    ...(sample && { sample_id: isOneOf(listOf(sample)) }),
  };
  return Object.keys(conditions).length > 0 ? { variant: conditions } : undefined;
}

/** Returns genes as the project writes them, whatever their letters; others in capitals, as HGNC does. */
export function genesIn(text: string, known: readonly string[]): string[] {
  const written = new Map(known.map((gene) => [gene.toLowerCase(), gene]));
  return text
    .split(/[\s,|]+/)
    .filter(Boolean)
    .map((gene) => (known.includes(gene) ? gene : (written.get(gene.toLowerCase()) ?? gene.toUpperCase())));
}

/** Values that are separated by `|`. */
export function listOf(text: string | undefined): string[] {
  return (text ?? '').split('|').filter(Boolean);
}

/**
 * Reads `chr17`, `chr17:7,668,000` or `chr17:7,668,000-7,688,000`. Any other text is the name of a chromosome that no variant has:
 * the list is empty, not whole.
 */
function regionConditions(region: string | undefined): Where {
  const name = (region ?? '').trim().replace(/^chr/i, '');
  if (name === '') return {};
  const place = regionOf(name);
  if (!place) return { chromosome: isOneOf([name, `chr${name}`]) };
  const { chromosome, from, to } = place;
  return {
    chromosome: isOneOf([chromosome, `chr${chromosome}`]),
    position: [{ operator: 'between', value: [from, to] }],
  };
}

/** Returns the residue that a change of a protein begins at: 72 of `p.Pro72Arg`. */
export function residueOf(change: string): number | undefined {
  const [, number] = /^(?:p\.)?\(?[A-Za-z*]{1,3}(\d+)/.exec(change) ?? [];
  return number === undefined ? undefined : Number(number);
}
