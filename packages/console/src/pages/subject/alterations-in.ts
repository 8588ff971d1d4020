import type { Row } from '../../api/ask.ts';
import { shortChange } from '../../study/variant-test.ts';

/** One alteration in the samples that have it. */
export interface Alteration {
  gene: string;
  change: string;
  type: string;
  kind: 'mutation' | 'copy_number' | 'fusion';
  /** First base; undefined where the source has no place. */
  place: { chromosome: string; position: number } | undefined;
  isDriver: boolean;
  isPathogenic: boolean;
  isGermline: boolean;
  /** Share of the reads by the id of the sample; null where it is not known. */
  fractions: ReadonlyMap<string, number | null>;
}

/** Joins rows that are the same alteration in several samples; drivers first, then pathogenic ones, then by gene. */
export function alterationsIn(rows: readonly Row[]): Alteration[] {
  const groups = Map.groupBy(rows, (row) =>
    ['gene', 'kind', 'class', 'chromosome', 'position', 'alternate', 'protein_change', 'partner_gene']
      .map((name) => String(row[name] ?? ''))
      .join('\u0000'),
  );
  const found = [...groups.values()].map((list): Alteration => {
    const [first = {}] = list;
    const { protein_change: protein, partner_gene: partner, position } = first;
    const words = [typeof protein === 'string' && shortChange(protein), partner && `with ${partner}`];
    return {
      gene: String(first['gene'] ?? ''),
      change: words.filter(Boolean).join(' '),
      type: String(first['class'] ?? first['kind'] ?? ''),
      kind: first['kind'] === 'copy_number' || first['kind'] === 'fusion' ? first['kind'] : 'mutation',
      place: typeof position === 'number' ? { chromosome: String(first['chromosome']), position } : undefined,
      isDriver: list.some(({ driver }) => driver === 'driver'),
      isPathogenic: list.some((row) => /(?:^|[^n])pathogenic/i.test(significanceOf(row))),
      isGermline: list.some(({ status }) => status === 'germline'),
      fractions: new Map(
        list.map((row) => [
          String(row['sample_id']),
          typeof row['allele_fraction'] === 'number' ? row['allele_fraction'] : null,
        ]),
      ),
    };
  });
  const rank = ({ isDriver, isPathogenic }: Alteration): number => (isDriver ? 0 : isPathogenic ? 1 : 2);
  return found.sort((one, other) => rank(one) - rank(other) || one.gene.localeCompare(other.gene));
}

/** Reports whether an alteration is known to matter. */
export const isKnown = ({ isDriver, isPathogenic }: Alteration): boolean => isDriver || isPathogenic;

/** Significance without reports that contradict each other. */
const significanceOf = (row: Row): string =>
  String(row['clinical_significance'] ?? '').replace(/conflicting[^|;]*/i, '');

/** Gene with its alterations in each patient. */
export interface SharedGene {
  gene: string;
  isKnown: boolean;
  /** Alterations in words by patient. */
  words: ReadonlyMap<string, string>;
}

/** Lists genes that two patients at least have altered: known ones first, then by the number of patients. */
export function sharedGenes(byPatient: ReadonlyMap<string, readonly Alteration[]>): SharedGene[] {
  const all = [...byPatient].flatMap(([patient, list]) => list.map((one) => ({ patient, ...one })));
  return [...Map.groupBy(all, ({ gene }) => gene)]
    .map(([gene, list]): SharedGene => {
      const words = [...Map.groupBy(list, ({ patient }) => patient)].map(
        ([patient, own]): [string, string] => [
          patient,
          [...new Set(own.map(({ change, type }) => change || type))].join(', '),
        ],
      );
      return { gene, isKnown: list.some(isKnown), words: new Map(words) };
    })
    .filter(({ gene, words }) => gene !== '' && words.size > 1)
    .sort(
      (one, other) =>
        Number(other.isKnown) - Number(one.isKnown) ||
        other.words.size - one.words.size ||
        one.gene.localeCompare(other.gene),
    );
}
