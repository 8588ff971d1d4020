import { effectOfClassification } from '../../omic/maf/classification.ts';
import { annotationFrequency, type FrequencyField } from '../frequencies.ts';
import type { ForeignRecord, PlainAnnotation, Translated } from './plain-annotation.ts';
import { namedChange } from './protein-change.ts';
import { sureOfAll } from './unsure.ts';

/** Positions of parts among the fields, from 0; -1 for an absent one. */
export interface FuncotationPlaces {
  gene: number;
  classification: number;
  transcript: number;
  biotype: number;
  proteinChange: number;
  rs: number;
  /** INFO keys, and the fields that hold their values. */
  values: readonly (readonly [key: string, place: number])[];
  frequencies: readonly (FrequencyField & { place: number })[];
}

/** INFO keys of ClinVar by the field of Funcotator's data source. */
const clinVarFields: readonly (readonly [key: string, field: string])[] = [
  ['CLNSIG', 'ClinVar_VCF_CLNSIG'],
  ['CLNDN', 'ClinVar_VCF_CLNDN'],
  ['CLNREVSTAT', 'ClinVar_VCF_CLNREVSTAT'],
  ['CLNALLELEID', 'ClinVar_VCF_ALLELEID'],
];

/** Reads the layout from the header, which names Gencode with its version; undefined without fields of Gencode. */
export function funcotationPlaces(description: string | undefined): FuncotationPlaces | undefined {
  const listed = /Funcotation fields are:\s*([^"]*)/i.exec(description ?? '')?.[1] ?? '';
  const names = listed.split('|').map((name) => name.trim());
  const gencode = names.map((name) => /^(Gencode_\w+?_)hugoSymbol$/.exec(name)?.[1]).find(Boolean);
  if (gencode === undefined) return undefined;
  const place = (...candidates: string[]): number =>
    candidates.map((name) => names.indexOf(name)).find((at) => at >= 0) ?? -1;
  return {
    gene: place(`${gencode}hugoSymbol`),
    classification: place(`${gencode}variantClassification`),
    transcript: place(`${gencode}annotationTranscript`),
    biotype: place(`${gencode}geneTranscriptType`),
    proteinChange: place(`${gencode}proteinChange`),
    rs: place('dbSNP_RS', 'dbSNP_ID'),
    values: clinVarFields
      .map(([key, field]) => [key, names.indexOf(field)] as const)
      .filter(([, at]) => at >= 0),
    frequencies: names.flatMap((name, at) => {
      // Only fields of Funcotator that name their source.
      const field = name.startsWith('gnomAD') ? annotationFrequency(name) : undefined;
      return field ? [{ ...field, place: at }] : [];
    }),
  };
}

/** GencodeFuncotation.VariantClassification, from the notation of a VCF to that of a MAF. */
const classifications: ReadonlyMap<string, string> = new Map([
  ['MISSENSE', 'missense_mutation'],
  ['NONSENSE', 'nonsense_mutation'],
  ['NONSTOP', 'nonstop_mutation'],
  ['SILENT', 'silent'],
  ['FIVE_PRIME_UTR', "5'utr"],
  ['THREE_PRIME_UTR', "3'utr"],
  ['FIVE_PRIME_FLANK', "5'flank"],
  ['THREE_PRIME_FLANK', "3'flank"],
  ['DE_NOVO_START_IN_FRAME', 'de_novo_start_inframe'],
  ['DE_NOVO_START_OUT_FRAME', 'de_novo_start_outofframe'],
]);

const noGene = new Set(['', 'Unknown', '.']);
const noTranscript = new Set(['', 'no_transcript', '.']);

/** `[…|…]#[…|…],[…|…]`: alternates separated by commas, the transcripts of one by `#`. */
export function translateFuncotation(
  value: string,
  record: ForeignRecord,
  places: FuncotationPlaces,
): Translated & { unclearCount: number } {
  const groups = value
    .replace(/^\[/, '')
    .replace(/\]$/, '')
    .split('],[')
    .map((group) => group.split(']#[').map((one) => one.split('|').map(decoded)));
  const annotations = groups.map((group, at) => group.map((fields) => annotationOf(fields, at + 1, places)));
  // Without Number=A a program split or joined it without changing it.
  if (groups.length !== record.alternates.length)
    return { annotations: sureOfAll(annotations), unclearCount: record.alternates.length };
  const values = places.values.map(([key, place]): [string, string[]] => [
    key,
    groups.map((group) => group.map((fields) => fields[place] ?? '').find((text) => text !== '') ?? ''),
  ]);
  return { annotations: annotations.flat(), values: new Map(values), unclearCount: 0 };
}

function annotationOf(
  fields: readonly string[],
  alternate: number,
  places: FuncotationPlaces,
): PlainAnnotation {
  const field = (place: number): string => fields[place]?.trim() ?? '';
  const [gene, transcript, rs] = [field(places.gene), field(places.transcript), field(places.rs)];
  const effect = effectOf(field(places.classification));
  return {
    alternate,
    effects: effect === undefined ? [] : [effect],
    gene: noGene.has(gene) ? undefined : gene,
    transcript: noTranscript.has(transcript) ? undefined : transcript,
    biotype: field(places.biotype),
    proteinChange: namedChange(field(places.proteinChange)),
    existing: /^\d+$/.test(rs) ? `rs${rs}` : rs,
    frequencies: places.frequencies.map(({ place }) => field(place)),
  };
}

/** Reads a number as in a MAF (docs/formats/omic.md); undefined for other text. */
function effectOf(classification: string): string | undefined {
  if (classification === '' || classification === 'COULD_NOT_DETERMINE') return undefined;
  const name = classifications.get(classification) ?? classification.toLowerCase();
  return effectOfClassification.get(name) ?? classification;
}

/** Decodes `_%7C_` → `|`; codes of other characters stay (FuncotatorUtils.sanitizeFuncotationFieldForVcf). */
function decoded(text: string): string {
  return text.replaceAll(/_%([2-7][0-9A-F])_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
