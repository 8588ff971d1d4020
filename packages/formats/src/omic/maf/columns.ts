import { type Header, textAt } from '../../delimited/index.ts';
import type { Cell } from '../../parquet/index.ts';
import { clinicalKeys } from '../../vcf/clinical.ts';
import { groupOfEffect } from '../../vcf/effects.ts';
import { spelledChange } from '../../vcf/foreign/protein-change.ts';
import { decoded } from '../../vcf/rows/columns/texts.ts';
import { effectOfClassification } from './classification.ts';

type Fields = readonly string[];

/** Columns of a MAF by content; the first that the file has counts. */
const names = {
  gene: ['Hugo_Symbol'],
  geneId: ['Gene', 'ENSEMBL_Gene'],
  classification: ['Variant_Classification'],
  consequence: ['Consequence', 'One_Consequence'],
  impact: ['IMPACT'],
  transcript: ['Transcript_ID', 'Feature', 'Annotation_Transcript'],
  biotype: ['BIOTYPE', 'Gene_Type'],
  change: ['HGVSp', 'HGVSp_Short', 'Protein_Change', 'Amino_Acid_Change', 'AAChange'],
  rs: ['dbSNP_RS'],
  existing: ['Existing_variation'],
  cosmic: ['COSMIC', 'COSMIC_ID', 'COSMIC_overlapping_mutations'],
  status: ['Mutation_Status'],
  significance: ['CLIN_SIG', 'CLNSIG', 'ClinVar_SIG', 'ClinVar_VCF_CLNSIG'],
  disease: [...clinicalKeys.disease, 'ClinVar_VCF_CLNDN'],
  review: [...clinicalKeys.review, 'ClinVar_VCF_CLNREVSTAT'],
  alleleId: [...clinicalKeys.alleleId, 'ClinVar_VCF_ALLELEID'],
  submission: ['ClinVar_VariationID', 'ClinVar_VCF_ID'],
  histology: [...clinicalKeys.histology],
  tumorSite: [...clinicalKeys.tumorSite],
} as const;

type Name = keyof typeof names;

/** Symbols that stand for "no gene". */
const noGene = new Set(['Unknown', '-', 'None']);

/** Builds the readers of the columns of `variant` that follow unchanged from the columns of a record. */
export function annotationColumns(header: Header): (fields: Fields) => Record<string, Cell> {
  const places = Object.fromEntries(
    Object.entries(names).map(([name, columns]) => [name, columns.map((column) => header.place(column))]),
  ) as Record<Name, number[]>;
  const text = (fields: Fields, name: Name): string | undefined => {
    for (const place of places[name]) {
      const found = place < 0 ? undefined : textAt(fields, place);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const isCanonical = canonicalOf(header);
  return (fields) => {
    const effect = effectOf(text(fields, 'consequence'), text(fields, 'classification'));
    const existing = text(fields, 'existing');
    return {
      rs_id: matched(/rs\d+/, text(fields, 'rs')) ?? matched(/rs\d+/, existing),
      clinvar_allele_id: text(fields, 'alleleId'),
      clinical_disease: text(fields, 'disease')?.replaceAll('_', ' '),
      clinical_review: text(fields, 'review'),
      clinical_significance: text(fields, 'significance'),
      clinical_submission: text(fields, 'submission'),
      cosmic_id: matched(/COS[VMN]\d+/, text(fields, 'cosmic')) ?? matched(/COS[VMN]\d+/, existing),
      mutation_status: text(fields, 'status'),
      histology: text(fields, 'histology'),
      tumor_site: text(fields, 'tumorSite'),
      ebcanon_class: effect,
      ebcanon_group: effect && groupOfEffect.get(effect),
      impact: text(fields, 'impact'),
      gene: geneOf(text(fields, 'gene')) ?? text(fields, 'geneId'),
      transcript_id: text(fields, 'transcript'),
      biotype: text(fields, 'biotype'),
      amino_acid_change: changeOf(text(fields, 'change')),
      is_canonical: isCanonical?.(fields),
    };
  };
}

function geneOf(symbol: string | undefined): string | undefined {
  return symbol === undefined || noGene.has(symbol) ? undefined : symbol;
}

/** Returns VEP's term that belongs to a group, else its first, else that of the classification. */
function effectOf(consequence: string | undefined, classification: string | undefined): string | undefined {
  const terms = consequence?.split(/[&,;]/).map((term) => term.trim()) ?? [];
  const term = terms.find((one) => groupOfEffect.has(one)) ?? terms[0];
  if (term || classification === undefined) return term;
  return effectOfClassification.get(classification.toLowerCase()) ?? classification;
}

/** Removes the protein's name before the change. */
function changeOf(change: string | undefined): string | undefined {
  return change && spelledChange(decoded(change.slice(change.lastIndexOf(':') + 1)));
}

/** Returns the reader of a mark; undefined if the file does not have it. */
function canonicalOf(header: Header): ((fields: Fields) => boolean) | undefined {
  const canonical = header.place('CANONICAL');
  const mane = [header.place('MANE_SELECT', 'MANE'), header.place('MANE_PLUS_CLINICAL')].filter(
    (place) => place >= 0,
  );
  if (canonical < 0 && mane.length === 0) return undefined;
  return (fields) =>
    /^(?:yes|true|1)$/i.test(textAt(fields, canonical) ?? '') ||
    mane.some((place) => textAt(fields, place) !== undefined);
}

function matched(pattern: RegExp, text: string | undefined): string | undefined {
  return text === undefined ? undefined : pattern.exec(text)?.[0];
}
