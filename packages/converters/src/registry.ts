import type { ConverterAddress } from '@ploidy/engine';

/** Format of an ingestion. */
export interface Format {
  /** Name of the format: the `type` of an ingestion. */
  name: string;
  /** Content by which it is recognised; absent: only a request can name the format. */
  recognised?: string;
  /** Address of the converter: a worker process loads only its own. */
  converter: ConverterAddress;
  publishes: 'tables' | 'reads' | 'references' | 'annotation' | 'gene models';
}

const at = (path: string, name: string) => ({ module: new URL(path, import.meta.url).href, name });

const tabular = at('./tabular/convert.ts', 'convertTabular');

/** Formats in the order of the API document; the one list of their names. */
export const formats = [
  {
    name: 'vcf',
    recognised: 'first line `##fileformat=VCF`; magic bytes of BCF 2',
    converter: at('./vcf/convert.ts', 'convertVcf'),
    publishes: 'tables',
  },
  { name: 'maf', recognised: 'columns of MAF', converter: tabular, publishes: 'tables' },
  { name: 'copynumber', recognised: 'columns of copy numbers', converter: tabular, publishes: 'tables' },
  { name: 'fusion', recognised: 'columns of gene fusions', converter: tabular, publishes: 'tables' },
  { name: 'expression', recognised: 'columns of expression values', converter: tabular, publishes: 'tables' },
  {
    name: 'fhir',
    recognised: 'JSON with `resourceType`: NDJSON, a Bundle or one resource; phenopackets',
    converter: at('./fhir/convert.ts', 'convertFhir'),
    publishes: 'tables',
  },
  {
    name: 'cbioportal',
    recognised: 'tar or ZIP, with the meta files of a study folder of cBioPortal',
    converter: at('./study/convert.ts', 'convertStudy'),
    publishes: 'tables',
  },
  { name: 'table', converter: at('./own-table/convert.ts', 'convertOwnTable'), publishes: 'tables' },
  {
    name: 'annotation',
    converter: at('./annotation/convert-annotation.ts', 'convertAnnotation'),
    publishes: 'annotation',
  },
  {
    name: 'bam',
    recognised: 'magic bytes of BAM',
    converter: { ...at('./bam/convert.ts', 'convertBam'), makes: 'genomics' },
    publishes: 'reads',
  },
  {
    name: 'cram',
    recognised: 'magic bytes of CRAM',
    converter: { ...at('./cram/convert.ts', 'convertCram'), makes: 'genomics' },
    publishes: 'reads',
  },
  {
    name: 'fasta',
    recognised: 'first character `>`',
    converter: { ...at('./fasta/convert.ts', 'convertFasta'), makes: 'genomics' },
    publishes: 'references',
  },
  {
    name: 'gff3',
    recognised: 'first line `##gff-version 3`',
    converter: at('./gene-models/convert.ts', 'convertGeneModels'),
    publishes: 'gene models',
  },
] as const satisfies readonly Format[];

/** Name of a format: the `type` of an ingestion. */
export type SourceType = (typeof formats)[number]['name'];

/** Names of the formats that publish something of a kind. */
export function formatsThatPublish(kind: Format['publishes']): SourceType[] {
  return formats.filter(({ publishes }) => publishes === kind).map(({ name }) => name);
}

/** Converters by type of task: those of formats, and those that the service itself starts. */
export const converters: Readonly<Record<string, ConverterAddress>> = {
  ...Object.fromEntries(formats.map(({ name, converter }) => [name, converter])),
  'vcf-index': at('./vcf-index/convert.ts', 'indexVcf'),
  derived: at('./tables/derive-study.ts', 'deriveStudy'),
  annotated: at('./annotation/annotate-segment.ts', 'annotateSegment'),
};
