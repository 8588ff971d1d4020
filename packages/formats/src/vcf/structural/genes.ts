import { intergenicRegion } from '../effects.ts';
import type { StructuralAnnotation } from './own-annotations.ts';
import type { StructuralRecord } from './structural-record.ts';

/** INFO keys under which callers of structural variants name genes. */
const geneKeys = ['GENE_NAME', 'GENE', 'GENES', 'Gene', 'Gene_name'] as const;
/** Effects on a gene that the change does not reach. */
const beside = new Set([
  'upstream_gene_variant',
  'downstream_gene_variant',
  'intergenic_variant',
  intergenicRegion,
]);

/** Returns the genes that a structural alternate reaches, by its annotations, else by INFO; each once, in their order. */
export function genesOf(record: StructuralRecord, annotations: readonly StructuralAnnotation[]): string[] {
  const annotated = annotations.flatMap(genesOfOne);
  const named = record.info(...geneKeys)?.split(/[,&|]/) ?? record.genes;
  const genes = annotated.length > 0 ? annotated : named;
  return [...new Set(genes.map((gene) => gene.trim()))].filter((gene) => gene !== '' && gene !== '.');
}

/** Returns two genes that an annotation joins (`EML4&ALK` of SnpEff). */
export function joinedGenes(
  annotations: readonly StructuralAnnotation[],
): readonly [string, string] | undefined {
  for (const annotation of annotations) {
    const [left = '', right = '', further] = annotation.text('symbol').split('&');
    if (left !== '' && right !== '' && further === undefined) return [left, right];
  }
  return undefined;
}

function genesOfOne(annotation: StructuralAnnotation): string[] {
  const effects = annotation.text('effect').split('&');
  if (effects.every((effect) => beside.has(effect))) return [];
  return (annotation.text('symbol') || annotation.text('geneId')).split('&');
}
