import { foreignLayouts, type Translation } from './foreign/translation.ts';
import { annotationFrequency, type FrequencyField } from './frequencies.ts';
import type { VcfHeader } from './header.ts';

/** Where each part stands among the fields of one annotation; from 1, as the engine counts. */
export interface AnnotationLayout {
  /** INFO key that holds the annotations, separated by commas. */
  key: string;
  /** `classic`: SnpEff before 4.0, `EFFECT(IMPACT|…)`. */
  shape: 'fields' | 'classic';
  /** How the allele is written: as in ALT, or as VEP does: of an indel without the first base. */
  alleles: 'alt' | 'vep';
  parts: Partial<Record<AnnotationPart, number>>;
  frequencies: (FrequencyField & { place: number })[];
  /** Whether records that were split after they were annotated have their alleles as they were. */
  isNeverTrimmed: boolean;
  /** Set where they are written in another form, and first brought into that of the layout. */
  translation?: Translation;
}

/** Names under which annotators list a part, in lower case; the first of them that a list has counts, wherever it stands. */
const partNames = {
  allele: ['allele'],
  alleleNumber: ['allele_num'],
  effect: ['consequence', 'annotation'],
  impact: ['impact', 'annotation_impact'],
  symbol: ['symbol', 'gene_name'],
  geneId: ['gene', 'gene_id'],
  transcript: ['feature', 'feature_id'],
  biotype: ['biotype', 'transcript_biotype'],
  aminoAcidChange: ['hgvsp', 'hgvs.p'],
  canonical: ['canonical'],
  // VEP's `MANE` holds which of the two sets a transcript is of; that of older ones the transcript of MANE Select.
  maneSelect: ['mane_select', 'mane'],
  manePlusClinical: ['mane_plus_clinical'],
  existingVariation: ['existing_variation'],
  significance: ['clin_sig'],
} as const;

export type AnnotationPart = keyof typeof partNames;

const vepNames =
  'Allele|Consequence|IMPACT|SYMBOL|Gene|Feature_type|Feature|BIOTYPE|EXON|INTRON|HGVSc|HGVSp|cDNA_position|CDS_position|Protein_position|Amino_acids|Codons|Existing_variation|DISTANCE|STRAND|FLAGS|SYMBOL_SOURCE|HGNC_ID';
const snpEffNames =
  'Allele|Annotation|Annotation_Impact|Gene_Name|Gene_ID|Feature_Type|Feature_ID|Transcript_BioType|Rank|HGVS.c|HGVS.p|cDNA|CDS|AA|Distance|ERRORS';

/** Effect(Impact|Class|Codon|Amino acid|Length|Gene|Biotype|Coding|Transcript|Exon|Genotype number), by SnpEff's manual. */
const classic: Omit<AnnotationLayout, 'isNeverTrimmed'> = {
  key: 'EFF',
  shape: 'classic',
  alleles: 'alt',
  parts: {
    effect: 1,
    impact: 2,
    aminoAcidChange: 5,
    symbol: 7,
    biotype: 8,
    transcript: 10,
    alleleNumber: 12,
  },
  frequencies: [],
};

/** INFO keys that hold annotations as SnpEff and VEP write them. */
export const annotationKeys = ['CSQ', 'vep', 'ANN', 'EFF'] as const;

/**
 * The annotations that genes and effects are taken from, the most trusted first: those that the first records have, then those that tell the impact, then
 * VEP's, SnpEff's, and those of others (`foreign/`), whose impact follows from their effects. `firstValues`: the first value of each key among the first records.
 */
export function annotationLayouts(
  header: VcfHeader,
  firstValues: ReadonlyMap<string, string>,
): AnnotationLayout[] {
  const native = annotationKeys
    .map((key) => layoutOf(key, header.info.get(key)?.description, firstValues.get(key)))
    .filter((layout) => layout !== undefined);
  const layouts = [...native, ...foreignLayouts(header, firstValues)].map((layout) => ({
    ...layout,
    isNeverTrimmed: header.isNeverTrimmed,
  }));
  const distrust = ({ key, parts, translation }: AnnotationLayout): number =>
    (firstValues.has(key) ? 0 : 2) + (parts.impact === undefined || translation ? 1 : 0);
  return layouts.toSorted((left, right) => distrust(left) - distrust(right));
}

/**
 * Whether the numbers of alternates that annotations name are of their record: with one beyond its alternates it was split since then, and they say
 * nothing here.
 */
export function areOwnNumbers(numbers: ArrayLike<number>, count: number, alternateCount: number): boolean {
  for (let place = 0; place < count; place += 1)
    if ((numbers[place] as number) > alternateCount) return false;
  return true;
}

function layoutOf(
  key: string,
  description: string | undefined,
  firstValue: string | undefined,
): typeof classic | undefined {
  if (description === undefined && firstValue === undefined) return undefined;
  if (key === 'EFF') return classic;
  const listed = /(?:Format:|')(?:\s*["'])?((?:(?!Format:)[^"'|])*\|[^"']*)/i.exec(description ?? '')?.[1];
  if (listed !== undefined) return fieldsLayout(key, listed);
  // SnpEff's standard has sixteen fields, VEP never so few with its defaults.
  const fieldCount = firstValue?.split(',')[0]?.split('|').length ?? 0;
  return fieldsLayout(key, key === 'ANN' && fieldCount <= 16 ? snpEffNames : vepNames);
}

function fieldsLayout(key: string, listed: string): typeof classic {
  const names = listed.split('|').map((name) => name.trim());
  const lower = names.map((name) => name.toLowerCase());
  const parts: typeof classic.parts = {};
  for (const part of Object.keys(partNames) as AnnotationPart[]) {
    const name = partNames[part].find((candidate) => lower.includes(candidate));
    if (name !== undefined) parts[part] = lower.indexOf(name) + 1;
  }
  const frequencies = names.flatMap((name, index) => {
    const field = annotationFrequency(name);
    return field ? [{ ...field, place: index + 1 }] : [];
  });
  const alleles = lower.includes('consequence') ? 'vep' : 'alt';
  return { key, shape: 'fields', alleles, parts, frequencies };
}
