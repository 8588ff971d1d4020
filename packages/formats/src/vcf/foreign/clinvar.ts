import type { ForeignRecord, PlainAnnotation, Translated } from './plain-annotation.ts';

/** Key of ClinVar and dbSNP for the genes of a record, `BRCA1:672|NBR2:10230`. */
export const clinvarKey = 'GENEINFO';
/** Molecular consequences, `SO:0001583|missense_variant,SO:0001619|non-coding_transcript_variant`. */
const consequencesKey = 'MC';
/** Maximum of genes; a record has a few. */
const partsMax = 50;

/** Terms of ClinVar that differ from the Sequence Ontology. */
const terms: ReadonlyMap<string, string> = new Map([
  ['SO:0001582', 'initiator_codon_variant'],
  ['SO:0001587', 'stop_gained'],
  ['SO:0001619', 'non_coding_transcript_variant'],
  ['SO:0001634', 'downstream_gene_variant'],
  ['SO:0001636', 'upstream_gene_variant'],
  // `inframe_indel`: the term above it, which has an impact.
  ['SO:0001820', 'protein_altering_variant'],
]);

/** Returns the genes of a record. Consequences name neither gene nor alternate: only those of one gene and one alternate are known. */
export function translateClinvar(
  value: string,
  { info, alternates }: ForeignRecord,
): Translated & { unclearCount: number } {
  const genes = value.split('|', partsMax).flatMap((one) => one.split(':')[0] || []);
  const named = (info.get(consequencesKey) ?? '').split(',', partsMax).flatMap(termOf);
  const isSure = genes.length === 1 && alternates.length === 1;
  const effects = isSure ? [...new Set(named)] : [];
  const alternate = alternates.length === 1 ? 1 : 0;
  const annotations = genes.map((gene): PlainAnnotation => ({ alternate, effects, gene }));
  return { annotations, unclearCount: isSure || named.length === 0 ? 0 : alternates.length };
}

function termOf(text: string): string[] {
  const [id = '', name = ''] = text.split('|');
  const term = terms.get(id) ?? name.replaceAll('-', '_');
  return term === '' ? [] : [term];
}
