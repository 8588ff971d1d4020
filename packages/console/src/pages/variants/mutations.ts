import { type Bucket, buckets } from '../../api/ask.ts';
import { isOneOf, type Where } from '../../api/where.ts';
import { shortChange } from '../../study/variant-test.ts';
import { residueOf } from './conditions.ts';

/** Change of the genome in a gene that may change its protein, with its carriers. */
export interface Mutation {
  /** Change of the protein in the short form; empty where it has none. */
  change: string;
  residue: number | undefined;
  class: string;
  consequence: string;
  significance: string;
  chromosome: string;
  position: number;
  reference: string;
  alternate: string;
  subjects: number;
  samples: number;
  /** Mean share of the reads; `undefined` where no call has reads. */
  fraction: number | undefined;
  rsId: string;
  clinvarId: string;
}

const place = ['chromosome', 'position', 'reference', 'alternate'];
const limit = 1000;
const carriers = [
  { op: 'countDistinct', field: 'patient_id' },
  { op: 'countDistinct', field: 'sample_id' },
];

/** Carriers of the mutations of a gene, counted by what the condition of a row asks for: its place and alleles. */
export const mutationsOf = (project: string, gene: string) =>
  buckets(project, {
    target: 'alteration',
    where: ofGene(gene, 'mutation'),
    options: {
      groupBy: place,
      metrics: [...carriers, { op: 'avg', field: 'allele_fraction' }],
      limit,
    },
  });

const words = ['protein_change', 'class', 'consequence', 'clinical_significance'];

/** Words for the mutations of a gene, of which its files may have several for one place. */
export const wordsOf = (project: string, gene: string) =>
  buckets(project, {
    target: 'alteration',
    where: ofGene(gene, 'mutation'),
    options: { groupBy: [...place, ...words], metrics: [], limit },
  });

/** Identifiers of the variants of a gene in dbSNP and ClinVar. */
export const identifiersOf = (project: string, gene: string) =>
  buckets(project, {
    target: 'variant',
    where: { variant: { gene: isOneOf([gene]) } },
    options: { groupBy: [...place, 'rs_id', 'clinvar_allele_id'], metrics: [], limit },
  });

/** Returns the condition of alterations of a gene. */
export const ofGene = (gene: string, kind: string): Where => ({
  alteration: { gene: isOneOf([gene]), kind: isOneOf([kind]) },
});

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
const placeKey = ({ key }: Bucket): string => place.map((name) => text(key[name])).join(' ');

/** Joins mutations with their words and identifiers, by place and alleles. */
export function mutationsIn(
  found: readonly Bucket[],
  described: readonly Bucket[],
  identifiers: readonly Bucket[],
): Mutation[] {
  const known = new Map(identifiers.map((bucket) => [placeKey(bucket), bucket.key]));
  const byPlace = Map.groupBy(described, placeKey);
  return found.map((bucket) => {
    const { key, metrics = [] } = bucket;
    const wordsAt = (name: string): string[] => [
      ...new Set((byPlace.get(placeKey(bucket)) ?? []).map((one) => text(one.key[name])).filter(Boolean)),
    ];
    const [change = ''] = wordsAt('protein_change');
    const fraction = metrics[2]?.value;
    const ids = known.get(placeKey(bucket));
    return {
      change: shortChange(change),
      residue: residueOf(shortChange(change)),
      class: wordsAt('class').join(', '),
      consequence: wordsAt('consequence').join(', '),
      significance: wordsAt('clinical_significance').join(', '),
      chromosome: text(key['chromosome']),
      position: Number(key['position']),
      reference: text(key['reference']),
      alternate: text(key['alternate']),
      subjects: Number(metrics[0]?.value ?? 0),
      samples: Number(metrics[1]?.value ?? 0),
      fraction: typeof fraction === 'number' ? fraction : undefined,
      rsId: text(ids?.['rs_id']),
      clinvarId: text(ids?.['clinvar_allele_id']),
    };
  });
}

/** Returns the address of a variant in a public collection, by its name; none where it has no identifier there. */
export function linksOf(gene: string, one: Mutation): [name: string, address: string][] {
  const { change, rsId, clinvarId, chromosome, position, reference, alternate } = one;
  const allele = [chromosome.replace(/^chr/, ''), position, reference, alternate].join('-');
  const encoded = encodeURIComponent;
  return [
    ...(clinvarId
      ? [
          [
            'ClinVar',
            `https://www.ncbi.nlm.nih.gov/clinvar/?term=${encoded(clinvarId)}%5Balleleid%5D`,
          ] as const,
        ]
      : []),
    ...(rsId ? [['dbSNP', `https://www.ncbi.nlm.nih.gov/snp/${encoded(rsId)}`] as const] : []),
    ...(/^[ACGT]+$/.test(reference + alternate) && reference && alternate
      ? [['gnomAD', `https://gnomad.broadinstitute.org/variant/${allele}?dataset=gnomad_r4`] as const]
      : []),
    ...(change
      ? [['OncoKB', `https://www.oncokb.org/gene/${encoded(gene)}/${encoded(change)}`] as const]
      : []),
  ].map(([name, address]): [string, string] => [name, address]);
}

/** Returns the addresses of a gene in public collections, by their names. */
export function geneLinks(gene: string): [name: string, address: string][] {
  const encoded = encodeURIComponent(gene);
  return [
    ['OncoKB', `https://www.oncokb.org/gene/${encoded}`],
    ['CIViC', `https://civicdb.org/links/entrez_name/${encoded}`],
    ['ClinVar', `https://www.ncbi.nlm.nih.gov/clinvar/?term=${encoded}%5Bgene%5D`],
    ['Ensembl', `https://www.ensembl.org/Homo_sapiens/Gene/Summary?g=${encoded}`],
  ];
}
