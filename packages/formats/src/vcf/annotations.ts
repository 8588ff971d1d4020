import { type AnnotationLayout, type AnnotationPart, partNames } from './annotation-layout.ts';
import { foreignLayouts } from './foreign/translation.ts';
import { annotationFrequency } from './frequencies.ts';
import type { VcfHeader } from './header.ts';

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
 * Returns the layouts of the annotations with genes and effects, the most trusted first. The order is: those of the first
 * records, those with an impact, VEP's, SnpEff's, others (`foreign/`), whose impact follows from their effects. `firstValues`:
 * the first value of each key among the first records.
 */
export function annotationLayouts(
  header: VcfHeader,
  firstValues: ReadonlyMap<string, string>,
): AnnotationLayout[] {
  const native = annotationKeys
    .map((key) => layoutOf(key, header.info.get(key)?.description, firstValues.get(key)))
    .filter((layout) => layout !== undefined);
  const layouts = [...native, ...described(header), ...foreignLayouts(header, firstValues)].map((layout) => ({
    ...layout,
    isNeverTrimmed: header.isNeverTrimmed,
  }));
  const distrust = ({ key, parts, translation }: AnnotationLayout): number =>
    (firstValues.has(key) ? 0 : 2) + (parts.impact === undefined || translation ? 1 : 0);
  return layouts.toSorted((left, right) => distrust(left) - distrust(right));
}

/** Lists of fields in a description: behind `Format:`, in quotes or brackets, or alone. */
const listOfFields = /((?:[\w .#()/+-]{1,60}\|){2,200}[\w .#()/+-]{1,60})/;
const ofOthers = new Set<string>([...annotationKeys, 'LOF', 'NMD', 'FUNCOTATION']);

/** Finds annotations of other programs whose header lists their fields, with the effect and a gene or transcript. */
function described(header: VcfHeader): (typeof classic)[] {
  return [...header.info.values()].flatMap(({ id, description }) => {
    if (ofOthers.has(id) || /BCFtools\/csq/.test(description)) return [];
    const behind = description.slice(description.search(/format:/i) + 1).replace(/^ormat:/i, '');
    const listed = listOfFields.exec(behind.replace(/^[^|[]*[['"]/, ''))?.[1];
    if (listed === undefined) return [];
    const layout = fieldsLayout(id, listed);
    const { effect, symbol, geneId, transcript } = layout.parts;
    return effect !== undefined && (symbol ?? geneId ?? transcript) !== undefined ? [layout] : [];
  });
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
  return { key, shape: 'fields', alleles, names, parts, frequencies };
}
