import type { AnnotationLayout, AnnotationPart } from '../annotations.ts';
import type { StructuralRecord } from './structural-record.ts';

/** INFO keys under which callers of structural variants name genes. */
const geneKeys = ['GENE_NAME', 'GENE', 'GENES', 'Gene', 'Gene_name'] as const;
/** Effects on a gene that the change does not reach. */
const beside = new Set([
  'upstream_gene_variant',
  'downstream_gene_variant',
  'intergenic_variant',
  'intergenic_region',
]);

/** The genes that a structural alternate reaches, by the annotations of its record, else by INFO; each once, in their order. */
export function genesOf(
  record: StructuralRecord,
  place: number,
  layout: AnnotationLayout | undefined,
): string[] {
  const annotated = layout ? annotatedGenes(record, place, layout) : [];
  const genes = annotated.length > 0 ? annotated : (record.info(...geneKeys)?.split(/[,&|]/) ?? []);
  return [...new Set(genes.map((gene) => gene.trim()))].filter((gene) => gene !== '' && gene !== '.');
}

/** Two genes that an annotation joins (`EML4&ALK` of SnpEff). */
export function joinedGenes(
  record: StructuralRecord,
  place: number,
  layout: AnnotationLayout | undefined,
): readonly [string, string] | undefined {
  const entries = layout?.shape === 'fields' ? entriesOf(record, place, layout) : [];
  for (const entry of entries) {
    const [left = '', right = '', further] = entry.text('symbol').split('&');
    if (left !== '' && right !== '' && further === undefined) return [left, right];
  }
  return undefined;
}

interface Entry {
  text(part: AnnotationPart): string;
}

function entriesOf(record: StructuralRecord, place: number, layout: AnnotationLayout): Entry[] {
  const own = record.alternates[place] ?? '';
  const others = new Set(record.alternates.filter((alternate) => alternate !== own));
  const entries = (record.info(layout.key)?.split(',') ?? []).map((entry) => {
    const fields = entry.split(/[|(]/);
    return { text: (part: AnnotationPart) => fields[(layout.parts[part] ?? 0) - 1]?.trim() ?? '' };
  });
  return entries.filter((entry) => {
    const number = entry.text('alleleNumber');
    return number === '' ? !others.has(entry.text('allele')) : Number(number) === place + 1;
  });
}

function annotatedGenes(record: StructuralRecord, place: number, layout: AnnotationLayout): string[] {
  return entriesOf(record, place, layout).flatMap((entry) => {
    const effects = entry.text('effect').split('&');
    if (effects.every((effect) => beside.has(effect))) return [];
    return (entry.text('symbol') || entry.text('geneId')).split('&');
  });
}
